import Support

/// What an inspection has found bytes to be.
public struct FileFacts: Sendable, Equatable {
    /// IANA media type.
    public var contentType: String
    /// The extension of the file's name: lower-case letters and digits, without a dot.
    public var fileExtension: String
    /// Pixels of the upright picture.
    public var width: Int?
    public var height: Int?
    /// A note that the cache keeps with the entry and gives back with it, so that a closer inspection need not be
    /// done again: any text.
    public var details: String?

    public init(
        contentType: String, fileExtension: String, width: Int? = nil, height: Int? = nil, details: String? = nil
    ) {
        self.contentType = contentType
        self.fileExtension = fileExtension
        self.width = width
        self.height = height
        self.details = details
    }
}

/// Looks at bytes before they are stored, and throws a `Failure` where they are not to be.
public typealias Inspection = @Sendable (any ByteSource) throws -> FileFacts
