import CacheTools
import Fetch
import HTTP
import Records
import Store

/// How GIFs are named: where a record has the exercise's id, and which resolutions of it will do.
public struct GIFNaming: EntryNaming {
    public let tool = "gif-cache"
    private let service: ExerciseService
    private let resolutions: [Resolution]
    private let idField: FieldPath?

    /// - Parameters:
    ///   - service: by whose addresses policies go; it is not asked.
    ///   - resolutions: those that will do, the best first; at least one.
    ///   - idField: where records hold the exercise's id; `id` or `exerciseId` for nil.
    public init(service: ExerciseService, resolutions: [Resolution], idField: FieldPath? = nil) {
        self.service = service
        self.resolutions = resolutions
        self.idField = idField
    }

    /// Returns the GIFs that will do for what an argument or, without one, a record names, the best first. An argument
    /// is an exercise's id, or the key of a GIF as it is printed (`exercisedb:0001@180`), which means this one alone.
    /// Throws `GIFFailure.noID` and `.badID`.
    public func gifs(of job: RecordJob) throws(GIFFailure) -> [ExerciseGIF] {
        if let gif = job.argument.flatMap(ExerciseGIF.init(cacheKey:)) { return [gif] }
        let id: ExerciseID
        if let argument = job.argument {
            id = try ExerciseID(argument)
        } else {
            id = try ExerciseID(of: job.record, field: idField)
        }
        return resolutions.map { ExerciseGIF(id: id, resolution: $0) }
    }

    /// Returns the GIF that is wanted most. Throws `GIFFailure.noID` and `.badID`.
    public func wanted(by job: RecordJob) throws(GIFFailure) -> ExerciseGIF { try gifs(of: job)[0] }

    /// Returns the `gifUrl` of a record of the open version. RapidAPI's records, which have an `id`, had such addresses
    /// that soon changed: nil for them, and for arguments.
    public func gifURL(of job: RecordJob) -> String? {
        guard job.argument == nil, service.isOpen || job.record.printable("id") == nil else { return nil }
        return job.record.string("gifUrl")
    }

    public func keys(of job: RecordJob) throws -> [CacheItem.Lookup] {
        try gifs(of: job).map { (try $0.key, service.address(of: $0)) }
    }

    /// Whether it is a GIF. One that is damaged counts as absent.
    public func accepts(_ entry: Entry) throws -> Bool { try GIFFacts(of: entry) != nil }

    public func set(_ entry: Entry, status: CacheStatus, in record: inout Record) {
        record.setCached(entry, status: status)
        record.setGIF(entry)
    }
}

extension Record {
    /// Adds the field `gif`, unless the entry's file is not a GIF.
    public mutating func setGIF(_ entry: Entry) {
        guard let facts = try? GIFFacts(of: entry) else { return }
        set("gif", facts.field(resolution: entry.gif?.resolution, isPinned: entry.isPinned))
    }
}
