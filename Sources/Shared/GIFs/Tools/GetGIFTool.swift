import Fetch
import Records
import Store
import Tools

/// Finds each record's GIF in the cache, without the network: the work of `gif-cache get`, `pin` and `unpin`.
public struct GetGIFTool: CacheTool {
    public let name = "gif-cache"
    private let gifs: KeptGIFs
    private let naming: GIFNaming
    private let pins: Bool?

    /// - Parameter pins: whether to pin each GIF or take the pin off; nil leaves it as it is.
    public init(gifs: KeptGIFs, naming: GIFNaming, pins: Bool? = nil) {
        self.gifs = gifs
        self.naming = naming
        self.pins = pins
    }

    /// Answers from the cache what needs no change of a pin. Throws `GIFFailure` if the job names no exercise.
    public func prepare(_ job: RecordJob) throws -> Prepared {
        let (id, resolution) = try naming.meant(by: job.argument, job.record)
        if pins == nil, let kept = gifs.immediately(id, resolution) {
            var record = job.record
            record.setGIF(kept)
            return .done(record)
        }
        return .work { record, _ in
            let found = try gifs.find(id, resolution)
            record.setGIF(try pins.map(found.pinned) ?? found)
        }
    }
}
