import Fetch
import Formats
import HTTP
import Records
import Store
import Support

/// Puts each record's picture into the cache and says where it lies: the work of `img-cache put`.
public struct PutTool: CacheTool {
    public let name = "img-cache"
    private let caches: Caches
    private let client: HTTPClient
    private let rules: CacheItem.Rules
    /// The request for an address: its limits, and what is sent with it.
    private let request: @Sendable (WebURL) -> HTTPRequest
    private let previews: Previews?
    /// How many bytes are taken through a pipe; a file on a disk has no limit here.
    public var byteLimit = HTTPRequest.defaultByteLimit
    /// Waited for before a server is asked.
    public var pacing: StartPacing?

    /// Makes what watches one body and tells `ready` of each preview.
    public typealias Previews = @Sendable (_ ready: @escaping (Preview) -> Void) -> any BodyWatcher

    /// - Parameter previews: where given, a record leaves for each preview of a picture that is being fetched, before
    ///   the one of the picture itself.
    public init(
        caches: Caches, client: HTTPClient, rules: CacheItem.Rules, previews: Previews? = nil,
        request: @escaping @Sendable (WebURL) -> HTTPRequest
    ) {
        self.previews = previews
        self.caches = caches
        self.client = client
        self.rules = rules
        self.request = request
    }

    public func prepare(_ job: RecordJob) -> Prepared { prepare([job])[0] }

    /// Answers from the cache what it has, and is fresh, at the best address.
    public func prepare(_ jobs: [RecordJob]) -> [Prepared] {
        let items = jobs.map { job in Result { try rules.item(of: job) } }
        let lookups = zip(jobs, items).map { job, item -> CacheItem.Lookup? in
            guard case .addresses(let addresses)? = try? item.get(), let best = addresses.best,
                let key = try? rules.key(best, record: job.record)
            else { return nil }
            return (key, best.text)
        }
        return caches.prepare(jobs, lookups: lookups, asFetch: true) { index in
            { record, emit in
                let (entry, status) = try put(items[index].get(), record, emit: emit)
                record.setCached(entry, status: status)
            }
        }
    }

    /// Takes the place of a picture away, but says which file could not be put.
    public func retract(_ record: inout Record, argument: String?) {
        record.removePlace()
        if let argument, !argument.hasScheme {
            record.set("path", .string(CacheKey.absolutePath(argument)))
        }
    }

    private func put(
        _ item: CacheItem, _ record: Record, emit: @escaping (Record) -> Void
    ) throws -> (entry: Entry, status: CacheStatus) {
        switch item {
        case .file(let path):
            let input = try InputFile(path, byteLimit: byteLimit, interruption: caches.interruption)
            let inputKey = try CacheKey.of(input)
            let key = try rules.ownKey(record) ?? inputKey
            return try UnusableBody.naming(path) {
                switch try caches.place(for: inputKey.text) {
                case .cache(let cache): try cache.store(input, key: key)
                case .bypass(let bypass): (try bypass.store(input, key: key), .bypass)
                }
            }
        case .addresses(let addresses): return try fetch(addresses, record, emit: emit)
        }
    }

    /// Fetches the first address that has a picture. One that cannot be had for good gives way to the next; one that
    /// may work later does not, since the better picture is worth another run. Throws the first failure where none
    /// works.
    private func fetch(
        _ addresses: CacheItem.Addresses, _ record: Record, emit: @escaping (Record) -> Void
    ) throws -> (entry: Entry, status: CacheStatus) {
        var first: (any Failure)?
        for candidate in addresses {
            do {
                let address = try candidate.get()
                let key = try rules.key(address, record: record)
                return try UnusableBody.naming(address.url.redacted) {
                    try fetch(address, key: key, record, emit: emit)
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
        _ address: CacheItem.Address, key: CacheKey, _ record: Record, emit: @escaping (Record) -> Void
    ) throws -> (entry: Entry, status: CacheStatus) {
        let request = request(address.url)
        switch try caches.place(for: address.text) {
        case .cache(let cache):
            if let pacing, try cache.wouldAsk(request, key: key) { try pacing.take() }
            return try withWatcher(record, key: key, scope: cache.scope, url: request.url, emit: emit) {
                try cache.fetch(request, key: key, client: client, watcher: $0)
            }
        case .bypass(let bypass):
            try pacing?.take()
            return (try bypass.fetch(request, key: key, client: client), .bypass)
        }
    }

    /// Runs `body` with what emits a record for each preview, where previews are wanted.
    private func withWatcher<Result>(
        _ record: Record, key: CacheKey, scope: ScopeName, url: WebURL, emit: @escaping (Record) -> Void,
        _ body: ((any BodyWatcher)?) throws -> Result
    ) throws -> Result {
        guard let previews else { return try body(nil) }
        return try body(
            previews { preview in
                var partial = record
                partial.setPartial(preview, key: key, scope: scope, url: url.redacted)
                emit(partial)
            })
    }

    /// Whether a failure has nothing to do with the address, so that another one would meet it too.
    private static func isLocal(_ failure: any Failure) -> Bool {
        failure is SystemFailure || failure is CacheFailure || failure is UnexpectedFailure
    }
}

/// Bytes that are no picture, with the name of the address or file that they came from.
public struct UnusableBody: Failure, Equatable {
    public let source: String
    public let reason: FormatFailure

    public var code: String { reason.code }
    public var message: String { "\(source): \(reason.message)" }
    public var isTransient: Bool { reason.isTransient }
    public var exitCode: ExitCode { reason.exitCode }

    static func naming<Result>(_ source: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as FormatFailure {
            throw UnusableBody(source: source, reason: failure)
        }
    }
}
