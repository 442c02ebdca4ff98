import Store

/// A GIF of ExerciseDB. It is identified by an exercise and a resolution, because its address changes.
public struct ExerciseGIF: Sendable, Hashable, CustomStringConvertible {
    public let id: ExerciseID
    public let resolution: Resolution

    public init(id: ExerciseID, resolution: Resolution = .standard) {
        self.id = id
        self.resolution = resolution
    }

    static let keyPrefix = "exercisedb:"

    /// The key in the cache, such as `exercisedb:0001@180`.
    public var cacheKey: String { "\(Self.keyPrefix)\(id)@\(resolution)" }

    /// The key as a `CacheKey`. Never throws in practice, because no id makes the key too long.
    var key: CacheKey { get throws { try CacheKey(printed: cacheKey) } }

    /// Returns the GIF that a cache key identifies, or nil for the key of another entry.
    public init?(cacheKey key: String) {
        guard key.hasPrefix(Self.keyPrefix), let at = key.lastIndex(of: "@"),
            let id = try? ExerciseID(String(key[..<at].dropFirst(Self.keyPrefix.count))),
            let resolution = Resolution(key[key.index(after: at)...])
        else { return nil }
        self.init(id: id, resolution: resolution)
    }

    /// Returns the ids of the exercises that have a cached GIF. An id occurs once per cached resolution. Does not
    /// modify the cache.
    public static func ids(keptBy settings: CacheSettings) throws -> [String] {
        try settings.keys(beginningWith: keyPrefix).compactMap { ExerciseGIF(cacheKey: $0)?.id.text }
    }

    public var description: String { "exercise \(id) at \(resolution)" }
}
