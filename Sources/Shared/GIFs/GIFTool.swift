import Cache
import Records
import Support

/// Gives each record's exercise GIF: the work of `gif-cache put` and `gif-cache get`.
public struct GIFTool: RecordTool {
    public enum Mode: Sendable {
        /// From the service where it is not in the cache.
        case put
        /// From the cache alone.
        case get
    }

    public let name = "gif-cache"
    private let cache: GIFCache
    private let mode: Mode
    private let resolution: Resolution
    private let idField: FieldPath?

    /// - Parameter idField: where records hold the exercise's id; `id` or `exerciseId` for nil.
    public init(cache: GIFCache, mode: Mode, resolution: Resolution, idField: FieldPath?) {
        self.cache = cache
        self.mode = mode
        self.resolution = resolution
        self.idField = idField
    }

    public func process(_ record: inout Record, argument: String?, emit: (Record) -> Void) throws {
        let id = try argument.map { try ExerciseID($0) } ?? ExerciseID(of: record, field: idField)
        let gif = ExerciseGIF(id: id, resolution: resolution)
        let item: GIFCache.Item
        switch mode {
        case .put: item = try cache.put(gif)
        case .get:
            guard let found = try cache.get(gif) else { throw CacheFailure.absent(key: gif.cacheKey) }
            item = found
        }
        record.setCached(item.entry, status: item.status)
        record.set("gif", item.facts.field())
    }
}
