import CacheTools
import Fetch
import HTTP
import Records
import Store

/// Determines the GIFs of a record from the exercise's id and the accepted resolutions.
public struct GIFNaming: EntryNaming {
    public let tool = "gif-cache"
    private let service: ExerciseService
    private let resolutions: [Resolution]
    private let idField: FieldPath?

    /// - Parameters:
    ///   - service: provides the address of each GIF, which policy rules match. It receives no requests.
    ///   - resolutions: the accepted resolutions, best first. Must not be empty.
    ///   - idField: the field with the exercise's id, or nil for `id` or `exerciseId`.
    public init(service: ExerciseService, resolutions: [Resolution], idField: FieldPath? = nil) {
        self.service = service
        self.resolutions = resolutions
        self.idField = idField
    }

    /// Returns the accepted GIFs of a job's exercise, best first. The exercise is named by the argument or, without an
    /// argument, by the record. An argument is the id of an exercise, or the key of a single GIF
    /// (`exercisedb:0001@180`). Throws `GIFFailure.noID` and `.badID`.
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

    /// Returns the best GIF. Throws `GIFFailure.noID` and `.badID`.
    public func wanted(by job: RecordJob) throws(GIFFailure) -> ExerciseGIF { try gifs(of: job)[0] }

    /// Returns the `gifUrl` of a record of the open version. Returns nil for arguments, and for records of RapidAPI,
    /// which have an `id`, because their addresses soon change.
    public func gifURL(of job: RecordJob) -> String? {
        guard job.argument == nil, service.isOpen || job.record.printable("id") == nil else { return nil }
        return job.record.string("gifUrl")
    }

    public func keys(of job: RecordJob) throws -> [CacheItem.Lookup] {
        try gifs(of: job).map { (try $0.key, service.address(of: $0)) }
    }

    /// Returns whether the entry is a valid GIF. A damaged GIF is treated as absent.
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
