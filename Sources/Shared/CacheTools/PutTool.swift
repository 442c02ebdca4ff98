import Fetch
import Formats
import HTTP
import Records
import Store
import Support

/// Puts each record's picture into the cache and says where it lies: the work of `img-cache put` and `prefetch`.
public struct PutTool: CacheTool {
    public let name = "img-cache"
    let caches: Caches
    let client: HTTPClient
    let rules: CacheItem.Rules
    /// The request for an address: its limits, and what is sent with it.
    let request: @Sendable (WebURL) -> HTTPRequest
    private let tally = Monitor(PutCounts())
    /// How many bytes are taken through a pipe; a file on a disk has no limit here.
    public var byteLimit = HTTPRequest.defaultByteLimit
    /// Which bytes are kept.
    public var inspect = CacheStore.wholePicture
    /// Waited for before a server is asked.
    public var pacing: StartPacing?
    /// If it is set, a record leaves for each preview of a picture that is being fetched, before the one of the picture
    /// itself.
    public var previews: Previews?

    /// Where copies go under names of the user's choice; nil for none.
    public var copies: OriginalCopies?
    /// Files that make their pictures unnecessary; nil if every picture is needed.
    public var made: MadeFiles?

    /// Whether the caller calls `revalidate` at the end.
    public var revalidatesLater = false
    let revalidations = Monitor([Revalidation]())

    /// Whether a worse picture will do while a better one cannot be had for a time.
    public var degrades = true

    /// Makes what watches one body and tells `ready` of each preview.
    public typealias Previews = @Sendable (_ ready: @escaping (Preview) -> Void) -> any BodyWatcher

    public init(
        caches: Caches, client: HTTPClient, rules: CacheItem.Rules,
        request: @escaping @Sendable (WebURL) -> HTTPRequest
    ) {
        self.caches = caches
        self.client = client
        self.rules = rules
        self.request = request
    }

    /// What has come of all records so far.
    public var counts: PutCounts { tally.withLock { $0 } }

    public func prepare(_ job: RecordJob) -> Prepared { prepare([job])[0] }

    /// Answers from the cache what it has, and is fresh, at the best address.
    public func prepare(_ jobs: [RecordJob]) -> [Prepared] {
        caches.prepare(jobs, asFetch: true) { job in
            let item = try rules.item(of: job)
            let expiry = try rules.expiry(job.record)
            let turn = copies?.turn()
            return (
                lookup(item, job.record), expiry,
                { record, run in
                    defer { turn?.end() }
                    func process() throws {
                        let outcome = try put(item, expiry, record, emit: run.emit)
                        switch outcome.place {
                        case .made(let kept):
                            record = kept
                            tally.update { $0.add(.kept) }
                        case .entry(let entry, let status, let cache):
                            record.setCached(entry, status: status, isDegraded: outcome.isDegraded)
                            try copies?.add(entry, to: &record, in: cache, turn, run)
                            tally.update { $0.add(status) }
                        }
                    }
                    for attempt in 1... {
                        do {
                            return try process()
                        } catch CacheFailure.absent where copies != nil && attempt < 5 {
                            // Evicted before it was copied.
                        }
                    }
                }
            )
        } done: { entry, record in
            record.setCached(entry, status: .hit)
            tally.update { $0.add(.hit) }
            return true
        }
    }

    /// The key to look up in a batch; nil if other files matter too.
    private func lookup(_ item: CacheItem, _ record: Record) -> CacheItem.Lookup? {
        guard copies == nil, made == nil, case .addresses(let addresses) = item, let best = addresses.best,
            let key = try? rules.key(best, record: record), request(best.url).oldestAge == nil
        else { return nil }
        return (key, best.text)
    }

    public func retract(_ record: inout Record, argument: String?) {
        record.removePlace()
        if copies != nil { record.removePath("file") }
        tally.update { $0.failed += 1 }
    }

    private func put(
        _ item: CacheItem, _ expiry: Expiry?, _ record: Record, emit: @escaping (Record) -> Void
    ) throws -> Outcome {
        switch item {
        case .file(let path):
            let input = try suggestingAddress(for: path) {
                try InputFile(path, byteLimit: byteLimit, interruption: caches.interruption)
            }
            let inputKey = try CacheKey.of(input)
            let key = try rules.ownKey(record) ?? inputKey
            let storage = try caches.storage(for: inputKey.text)
            let (entry, status) = try NamedFailure.naming(path) {
                try storage.store(input, key: key, inspect: inspect, expiry: expiry)
            }
            return Outcome(place: .entry(entry, status, in: storage.cache))
        case .addresses(let addresses): return try fetch(addresses, expiry, record, emit: emit)
        }
    }
}
