import Fetch
import Formats
import HTTP
import Records
import Store
import Support

/// Puts each record's picture into the cache and says where it lies: the work of `img-cache put` and `prefetch`.
public struct PutTool: CacheTool {
    public let name = "img-cache"
    private let caches: Caches
    private let client: HTTPClient
    private let rules: CacheItem.Rules
    /// The request for an address: its limits, and what is sent with it.
    private let request: @Sendable (WebURL) -> HTTPRequest
    private let tally = Monitor(PutCounts())
    /// How many bytes are taken through a pipe; a file on a disk has no limit here.
    public var byteLimit = HTTPRequest.defaultByteLimit
    /// Waited for before a server is asked.
    public var pacing: StartPacing?
    /// If it is set, a record leaves for each preview of a picture that is being fetched, before the one of the picture
    /// itself.
    public var previews: Previews?

    /// Where copies go under names of the user's choice; nil for none.
    public var copies: OriginalCopies?

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
            return (
                lookup(item, job.record), expiry,
                { record, emit in
                    let (entry, status) = try put(item, expiry, record, emit: emit)
                    record.setCached(entry, status: status)
                    try copies?.add(entry, to: &record)
                    tally.update { $0.add(status) }
                }
            )
        } done: { entry, record in
            record.setCached(entry, status: .hit)
            tally.update { $0.add(.hit) }
            return true
        }
    }

    /// What may be done at once: not what has a file to be copied.
    private func lookup(_ item: CacheItem, _ record: Record) -> CacheItem.Lookup? {
        guard copies == nil, case .addresses(let addresses) = item, let best = addresses.best,
            let key = try? rules.key(best, record: record)
        else { return nil }
        return (key, best.text)
    }

    /// Takes the place of a picture away, but says which file could not be put.
    public func retract(_ record: inout Record, argument: String?) {
        record.removePlace()
        if copies != nil { record.removePath("file") }
        tally.update { $0.failed += 1 }
        if let argument, !argument.hasScheme {
            record.set("path", .string(CacheKey.absolutePath(argument)))
        }
    }

    private func put(
        _ item: CacheItem, _ expiry: Expiry?, _ record: Record, emit: @escaping (Record) -> Void
    ) throws -> (entry: Entry, status: CacheStatus) {
        switch item {
        case .file(let path):
            let input = try InputFile(path, byteLimit: byteLimit, interruption: caches.interruption)
            let inputKey = try CacheKey.of(input)
            let key = try rules.ownKey(record) ?? inputKey
            return try NamedFailure.naming(path) {
                try caches.storage(for: inputKey.text).store(input, key: key, expiry: expiry)
            }
        case .addresses(let addresses): return try fetch(addresses, expiry, record, emit: emit)
        }
    }

    /// Fetches the first address that has a picture. One that cannot be had for good gives way to the next; one that
    /// may work later does not, since the better picture is worth another run. Throws the first failure where none
    /// works.
    private func fetch(
        _ addresses: CacheItem.Addresses, _ expiry: Expiry?, _ record: Record, emit: @escaping (Record) -> Void
    ) throws -> (entry: Entry, status: CacheStatus) {
        var first: (any Failure)?
        for candidate in addresses {
            do {
                let address = try candidate.get()
                let key = try rules.key(address, record: record)
                return try NamedFailure.naming(address.url.redacted) {
                    try fetch(address, key: key, expiry, record, emit: emit)
                }
            } catch {
                let failure = failure(of: error)
                guard !failure.isTransient, !Self.isLocal(failure) else { throw failure }
                first = first ?? failure
            }
        }
        throw first ?? NoPicture()
    }

    /// Fetches one address to where its policy says.
    private func fetch(
        _ address: CacheItem.Address, key: CacheKey, _ expiry: Expiry?, _ record: Record,
        emit: @escaping (Record) -> Void
    ) throws -> (entry: Entry, status: CacheStatus) {
        let request = request(address.url)
        let storage = try caches.storage(for: address.text)
        if let pacing, try storage.cache?.wouldAsk(request, key: key, expiry: expiry) ?? true { try pacing.take() }
        let watcher = storage.cache.flatMap { cache in
            previews? { preview in
                var partial = record
                partial.setPartial(preview, key: key, scope: cache.scope, url: request.url.redacted)
                emit(partial)
            }
        }
        return try storage.fetch(request, key: key, client: client, expiry: expiry, watcher: watcher)
    }

    /// Whether a failure has nothing to do with the address, so that another one would meet it too.
    private static func isLocal(_ failure: any Failure) -> Bool {
        failure is SystemFailure || failure is CacheFailure || failure is UnexpectedFailure
    }
}
