import Support

/// A supported picture format: its names, and the functions that read its structure. Each format is a constant in its
/// own folder and is listed in `ImageFormat.all`. A class, so headers and failures store only a pointer.
public final class ImageFormat: Sendable {
    typealias HeaderReading = @Sendable (_ window: inout SourceWindow, _ page: Int) throws -> ImageHeader
    typealias EndCheck = @Sendable (any ByteSource, inout ImageHeader, _ verifiesChecksums: Bool) throws -> Void
    typealias MetadataSearch = @Sendable (inout SourceWindow, inout FoundParts) throws -> Void

    /// The default quality of lossy formats, from 1 to 100. At this quality and the sizes of variants, most people see
    /// no difference from the original.
    public static let standardQuality = 82

    /// The name of the format in records, which is also the subtype of its media type.
    public let id: String
    /// The name in messages.
    public let name: String
    /// In lower case, without the dot, the usual extension first.
    public let fileExtensions: [String]
    let signature: Signature
    let header: HeaderReading
    /// Implements `ImageInspection.checkEnd`.
    let checkEnd: EndCheck
    let findMetadata: MetadataSearch

    /// - Parameters:
    ///   - fileExtensions: if empty, the only extension is `id`.
    ///   - checkEnd: by default checks nothing, for formats that `header` checks completely.
    init(
        _ id: String, name: String, fileExtensions: [String] = [], signature: Signature,
        header: @escaping HeaderReading, checkEnd: @escaping EndCheck = { _, _, _ in },
        findMetadata: @escaping MetadataSearch = { _, _ in }
    ) {
        self.id = id
        self.name = name
        self.fileExtensions = fileExtensions.isEmpty ? [id] : fileExtensions
        self.signature = signature
        self.header = header
        self.checkEnd = checkEnd
        self.findMetadata = findMetadata
    }

    /// IANA media type.
    public var contentType: String { "image/\(id)" }

    public var fileExtension: String { fileExtensions[0] }

    /// Whether `head`, the first 12 bytes or more of a file, has the signature of this format.
    public func matches(_ head: ArraySlice<UInt8>) -> Bool { signature.match(head) == .whole }
}

extension ImageFormat: Hashable {
    public static func == (a: ImageFormat, b: ImageFormat) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
