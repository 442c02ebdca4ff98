import Records
import Store
import Support

extension Entry {
    /// Returns the value of a record's field `cache`. Times are in UTC, `bytes` is the size of the file, and unknown
    /// values are omitted.
    ///
    /// - Parameter isDegraded: whether a better picture may become available.
    fileprivate func field(status: CacheStatus? = nil, state: EntryState? = nil, isDegraded: Bool = false) -> JSON {
        let shown = clamped(to: .now())
        return .object([
            "key": key.map(JSON.string), "scope": .string(scope.text),
            "status": status.map { .string($0.rawValue) }, "state": state.map { .string($0.rawValue) },
            "url": url.map(JSON.string), "bytes": .integer(bytes), "content_type": .string(contentType),
            "sha256": .string(sha256), "width": width.map(JSON.integer), "height": height.map(JSON.integer),
            "fetched_at": .string(shown.fetchedAt.iso8601), "expires_at": .string(shown.expiresAt.iso8601),
            "degraded": isDegraded ? .bool(true) : nil, "remote": isFromRemote ? .bool(true) : nil,
        ])
    }

    fileprivate func fields(cache: JSON) -> KeyValuePairs<String, JSON?> {
        [
            "path": .rendered(.text(ofPath: path)), "path_base64": .rendered(.base64(ofPath: path)),
            "cache": .rendered(cache),
        ]
    }
}

extension Record {
    /// Adds the fields `path` and `cache` of the record's picture.
    public mutating func setCached(_ entry: Entry, status: CacheStatus, isDegraded: Bool = false) {
        set(CachedFields.of(entry, status, isDegraded).rendered)
    }

    /// Adds the fields `path` and `cache` of a listed entry, with its state instead of a status.
    public mutating func setListed(_ entry: Entry, state: EntryState) {
        set(entry.fields(cache: entry.field(state: state)))
    }
}

/// The fields `path` and `cache` of an entry. Rendered once, even if several records of a stream share the entry.
private struct CachedFields {
    let entry: Entry
    let status: CacheStatus
    let isDegraded: Bool
    let rendered: KeyValuePairs<String, JSON?>

    /// Recently used fields, by path.
    private static let known = Monitor(LRU<CachedFields>(countLimit: 1024, costLimit: .max))

    static func of(_ entry: Entry, _ status: CacheStatus, _ isDegraded: Bool) -> CachedFields {
        if let fields = known.withLock({ $0.use(entry.path) }), fields.entry == entry, fields.status == status,
            fields.isDegraded == isDegraded
        {
            return fields
        }
        let fields = CachedFields(
            entry: entry, status: status, isDegraded: isDegraded,
            rendered: entry.fields(cache: entry.field(status: status, isDegraded: isDegraded)))
        _ = known.withLock { $0.insert(fields, for: entry.path, cost: 0) }
        return fields
    }
}

extension JSON {
    fileprivate static func rendered(_ value: JSON?) -> JSON? { value.map { .raw($0.bytes) } }
}
