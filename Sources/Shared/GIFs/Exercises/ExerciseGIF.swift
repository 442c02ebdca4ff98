import Store

/// One GIF of the service: an exercise in a resolution. Addresses change, so these two are its only lasting name.
public struct ExerciseGIF: Sendable, Hashable, CustomStringConvertible {
    public let id: ExerciseID
    public let resolution: Resolution

    public init(id: ExerciseID, resolution: Resolution = .standard) {
        self.id = id
        self.resolution = resolution
    }

    /// What the keys of all GIFs begin with.
    static let keyPrefix = "exercisedb:"

    /// What the GIF is kept under in the cache: `exercisedb:0001@180`.
    public var cacheKey: String { "\(Self.keyPrefix)\(id)@\(resolution)" }

    /// Throws nothing in fact, as no id is too long for a key.
    var key: CacheKey { get throws { try CacheKey(printed: cacheKey) } }

    /// The GIF that is kept under a key; nil for any other key.
    public init?(cacheKey key: String) {
        guard key.hasPrefix(Self.keyPrefix), let at = key.lastIndex(of: "@"),
            let id = try? ExerciseID(String(key[..<at].dropFirst(Self.keyPrefix.count))),
            let resolution = Resolution(key[key.index(after: at)...])
        else { return nil }
        self.init(id: id, resolution: resolution)
    }

    /// The ids of exercises whose GIFs are in a cache, some of them twice. Changes nothing.
    public static func ids(keptBy settings: CacheSettings) throws -> [String] {
        try settings.keys(beginningWith: keyPrefix).compactMap { ExerciseGIF(cacheKey: $0)?.id.text }
    }

    public var description: String { "exercise \(id) at \(resolution)" }
}
