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
        set(CachedFields(entry: entry, status: status).rendered)
    }
}

/// The fields `path` and `cache` of an entry: written once for all records of a stream that name it.
private struct CachedFields: Hashable {
    let entry: Entry
    let status: CacheStatus

    private static let known = Memo<CachedFields, KeyValuePairs<String, JSON?>>()

    var rendered: KeyValuePairs<String, JSON?> {
        Self.known.value(of: self) {
            [
                "path": .rendered(.text(ofPath: entry.path)), "path_base64": .rendered(.base64(ofPath: entry.path)),
                "cache": .rendered(entry.field(status: status)),
            ]
        }
    }

    func hash(into hasher: inout Hasher) { hasher.combine(entry.path) }
}

extension JSON {
    fileprivate static func rendered(_ value: JSON?) -> JSON? { value.map { .raw($0.bytes) } }
}
