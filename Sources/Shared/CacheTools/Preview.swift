import Records
import Store

/// A picture made from the beginning of an unfinished download.
public struct Preview: Sendable, Equatable {
    public var path: String
    /// The number of complete scans or passes.
    public var scan: Int
    /// The number of bytes of the original from which the preview was made.
    public var bytes: Int
    /// The expected size of the original in bytes.
    public var totalBytes: Int?
    public var contentType: String
    /// The size of the upright original in pixels.
    public var width: Int
    public var height: Int

    public init(path: String, scan: Int, bytes: Int, totalBytes: Int?, contentType: String, width: Int, height: Int) {
        self.path = path
        self.scan = scan
        self.bytes = bytes
        self.totalBytes = totalBytes
        self.contentType = contentType
        self.width = width
        self.height = height
    }
}

extension Record {
    /// Adds the fields `path` and `cache` of a preview.
    mutating func setPartial(_ preview: Preview, key: CacheKey, scope: ScopeName, url: String) {
        setPath("path", preview.path)
        set(
            "cache",
            .object([
                "key": .string(key.text), "scope": .string(scope.text), "status": .string("partial"),
                "url": .string(url), "bytes": .integer(preview.bytes),
                "total_bytes": preview.totalBytes.map(JSON.integer), "content_type": .string(preview.contentType),
                "width": .integer(preview.width), "height": .integer(preview.height), "scan": .integer(preview.scan),
            ]))
    }
}
