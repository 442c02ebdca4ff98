import Fetch
import Records
import Store

extension Entry {
    /// The value of a record's field `cache`. Times are UTC, `bytes` is the file's size; what is not known is left out.
    public func field(status: CacheStatus) -> JSON {
        .object([
            "key": key.map(JSON.string), "scope": .string(scope.text), "status": .string(status.rawValue),
            "url": url.map(JSON.string), "bytes": .integer(bytes), "content_type": .string(contentType),
            "sha256": .string(sha256), "width": width.map(JSON.integer), "height": height.map(JSON.integer),
            "fetched_at": .string(fetchedAt.iso8601), "expires_at": .string(expiresAt.iso8601),
        ])
    }
}

extension Record {
    /// Adds the fields `path` and `cache` that say where this record's picture lies.
    public mutating func setCached(_ entry: Entry, status: CacheStatus) {
        setPath("path", entry.path)
        set("cache", entry.field(status: status))
    }
}
