import Cache
import Records

/// Gives each record's exercise GIF, from the service where it is not in the cache: the work of `gif-cache put`.
public struct GIFTool: RecordTool {
    public let name = "gif-cache"
    private let cache: GIFCache
    private let naming: GIFNaming

    /// - Parameter naming: only the resolution that is wanted most is asked for.
    public init(cache: GIFCache, naming: GIFNaming) {
        self.cache = cache
        self.naming = naming
    }

    /// Answers from the cache what it has, and is fresh.
    public func processAtOnce(_ record: inout Record, argument: String?) -> Bool {
        guard let gif = try? gif(argument, record), let item = cache.immediately(gif) else { return false }
        set(item, of: gif, in: &record)
        return true
    }

    public func process(_ record: inout Record, argument: String?, emit: (Record) -> Void) throws {
        let gif = try gif(argument, record)
        set(try cache.put(gif), of: gif, in: &record)
    }

    private func gif(_ argument: String?, _ record: Record) throws -> ExerciseGIF {
        ExerciseGIF(id: try naming.id(argument, record), resolution: naming.resolution.wanted)
    }

    private func set(_ item: GIFCache.Item, of gif: ExerciseGIF, in record: inout Record) {
        record.setCached(item.entry, status: item.status)
        record.set("gif", item.facts.field(resolution: gif.resolution))
    }
}
