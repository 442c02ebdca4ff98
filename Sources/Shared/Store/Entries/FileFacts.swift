import Support

/// The result of an inspection.
public struct FileFacts: Sendable, Equatable {
    /// IANA media type.
    public var contentType: String
    /// The extension of the file's name: lower-case letters and digits, without a dot.
    public var fileExtension: String
    /// Pixels of the upright picture.
    public var width: Int?
    public var height: Int?
    /// Further results of the inspection, as text in any format. Stored with the entry, so that the file need not be
    /// inspected again.
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

/// Inspects bytes before they are stored, and throws a `Failure` to refuse them.
public typealias Inspection = @Sendable (any ByteSource) throws -> FileFacts
