import Fetch
import Records
import Store
import Support

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
        set(CachedFields.of(entry, status).rendered)
    }
}

/// The fields `path` and `cache` of an entry: written once for all records of a stream that name it.
private struct CachedFields {
    let entry: Entry
    let status: CacheStatus
    let rendered: KeyValuePairs<String, JSON?>

    private init(_ entry: Entry, _ status: CacheStatus) {
        self.entry = entry
        self.status = status
        rendered = [
            "path": .rendered(.text(ofPath: entry.path)), "path_base64": .rendered(.base64(ofPath: entry.path)),
            "cache": .rendered(entry.field(status: status)),
        ]
    }

    /// By path.
    private static let known = Monitor(LRU<CachedFields>(countLimit: 1024, costLimit: .max))

    static func of(_ entry: Entry, _ status: CacheStatus) -> CachedFields {
        if let fields = known.withLock({ $0.use(entry.path) }), fields.entry == entry, fields.status == status {
            return fields
        }
        let fields = CachedFields(entry, status)
        _ = known.withLock { $0.insert(fields, for: entry.path, cost: 0) }
        return fields
    }
}

extension JSON {
    fileprivate static func rendered(_ value: JSON?) -> JSON? { value.map { .raw($0.bytes) } }
}
