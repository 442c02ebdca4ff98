import Formats
import HTTP
import Records
import Support

/// Puts each record's picture into the cache and says where it lies: the work of `img-cache put`.
public struct PutTool: RecordTool {
    public let name = "img-cache"
    private let cache: ImageCache
    private let client: HTTPClient
    private let rules: CacheItem.Rules
    /// The request for an address: its limits, and what is sent with it.
    private let request: @Sendable (WebURL) throws -> HTTPRequest
    /// Waited for before a server is asked.
    public var pacing: StartPacing?

    public init(
        cache: ImageCache, client: HTTPClient, rules: CacheItem.Rules,
        request: @escaping @Sendable (WebURL) throws -> HTTPRequest
    ) {
        self.cache = cache
        self.client = client
        self.rules = rules
        self.request = request
    }

    public func process(_ record: inout Record, argument: String?, emit: (Record) -> Void) throws {
        switch try argument.map(CacheItem.init(argument:)) ?? .addresses(rules.addresses.candidates(in: record)) {
        case .file(let path):
            let key = try rules.ownKey(record) ?? CacheItem.fileKey(path)
            let file = try File.openInput(path)
            let (entry, status) = try UnusableBody.naming(path) { try cache.store(file, key: key) }
            record.setCached(entry, status: status)
        case .addresses(let candidates):
            let (entry, status) = try fetch(candidates, record)
            record.setCached(entry, status: status)
        }
    }

    /// Fetches the first address that has a picture. One that cannot be had for good gives way to the next; one that may
    /// work later does not, since the better picture is worth another run. Throws the first failure where none works.
    private func fetch(
        _ candidates: [PictureAddresses.Candidate], _ record: Record
    ) throws -> (entry: Entry, status: CacheStatus) {
        var first: (any Failure)?
        for candidate in candidates {
            do {
                let url = try candidate.get()
                let key = try rules.key(url, record: record)
                let request = try request(url)
                if let pacing, try cache.wouldAsk(request, key: key) { try pacing.take() }
                return try UnusableBody.naming(url.redacted) {
                    try cache.fetch(request, key: key, client: client)
                }
            } catch {
                let failure = failure(of: error)
                guard !failure.isTransient, !Self.isLocal(failure) else { throw failure }
                first = first ?? failure
            }
        }
        throw first ?? NoPicture()
    }

    /// Whether a failure has nothing to do with the address, so that another one would meet it too.
    private static func isLocal(_ failure: any Failure) -> Bool {
        failure is SystemFailure || failure is CacheFailure || failure is UnexpectedFailure || failure is EndOfRun
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

/// Finds each record's picture in the cache, without the network: the work of `img-cache get`.
public struct GetTool: RecordTool {
    public let name = "img-cache"
    private let cache: ImageCache
    private let rules: CacheItem.Rules

    public init(cache: ImageCache, rules: CacheItem.Rules) {
        self.cache = cache
        self.rules = rules
    }

    public func process(_ record: inout Record, argument: String?, emit: (Record) -> Void) throws {
        let entry = try cache.find(record, argument: argument, rules: rules)
        record.setCached(entry, status: cache.status(of: entry))
    }
}

extension ImageCache {
    /// The entry of what an argument or a record names, the best one that is there. Throws `CacheFailure.absent` (1).
    ///
    /// - Parameter handingOut: whether its path is to be used; else it is only looked at, see `peek`.
    public func find(
        _ record: Record, argument: String?, rules: CacheItem.Rules, handingOut: Bool = true
    ) throws -> Entry {
        let item = try argument.map(CacheItem.init(argument:)) ?? .addresses(rules.addresses.candidates(in: record))
        let keys = try item.keys(rules, record: record)
        for key in keys {
            if let entry = try handingOut ? lookup(key) : peek(key) { return entry }
        }
        throw keys.first.map { CacheFailure.absent(key: $0.text) } ?? NoPicture()
    }
}
