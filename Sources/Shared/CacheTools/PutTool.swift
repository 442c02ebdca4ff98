import Fetch
import Formats
import HTTP
import Records
import Store
import Support

/// Puts each record's picture into the cache and adds its path, for `img-cache put` and `prefetch`.
public struct PutTool: CacheTool {
    public let name = "img-cache"
    let caches: Caches
    let client: HTTPClient
    let rules: CacheItem.Rules
    let request: @Sendable (WebURL) -> HTTPRequest
    private let tally = Monitor(PutCounts())
    /// The maximum number of bytes to read from a pipe. Does not limit regular files.
    public var byteLimit = ByteCount.largestPicture
    public var inspect = CacheStore.wholePicture
    /// Limits the rate of requests.
    public var pacing: StartPacing?
    /// Makes previews of a download. Each preview is emitted as a record before the record of the complete picture.
    public var previews: Previews?

    /// Makes the copies in `--output-dir`; nil without this option.
    public var copies: OriginalCopies?
    /// A folder of files made from pictures. Pictures whose files are unchanged are not fetched.
    public var made: MadeFiles?

    /// Whether the caller calls `revalidate` after the last record.
    public var revalidatesLater = false
    let revalidations = Monitor([Revalidation]())

    /// Whether to use a picture of lower quality if a better picture fails transiently.
    public var degrades = true

    /// Returns an object that watches the body of a download and passes previews to `ready`.
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

    public var counts: PutCounts { tally.withLock { $0 } }

    public func prepare(_ job: RecordJob) -> Prepared { prepare([job])[0] }

    /// Completes the records whose best address is a fresh hit.
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
                            // The entry was evicted before it was copied. Fetch it again.
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

    /// Returns the key to look up in a batch, or nil if a fresh hit would not complete the record.
    private func lookup(_ item: CacheItem, _ record: Record) -> CacheItem.Lookup? {
        guard copies == nil, made == nil, case .addresses(let addresses) = item, let best = addresses.best,
            let key = try? rules.key(best, record: record), request(best.url).acceptedMaxAge == nil
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
