import Fetch
import Records
import Store

/// A picture of what has come so far of another.
public struct Preview: Sendable, Equatable {
    /// The absolute path of its file.
    public var path: String
    /// Which scan or pass is complete.
    public var scan: Int
    /// Bytes of the original that it shows, and that the original will have where that is known.
    public var bytes: Int
    public var totalBytes: Int?
    /// IANA media type of the preview itself.
    public var contentType: String
    /// Pixels of the upright preview: those of the original.
    public var width: Int
    public var height: Int

    public init(
        path: String, scan: Int, bytes: Int, totalBytes: Int?, contentType: String, width: Int, height: Int
    ) {
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
    /// Adds the fields `path` and `cache` of a picture that is still on its way.
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
