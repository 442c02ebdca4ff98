import HTTP
import Support
import TestSupport
import Testing

@testable import Remote
@testable import Store

/// Leases on a real Redis server.
@Suite(.enabled(if: RedisRemote.isPossible)) struct RedisLeaseTests {
    private let redis: RedisRemote
    private let server: RedisServer
    private let name = RemoteName(listOf: .standard)
    private var place: RemoteObject { .document(name) }

    init() throws {
        redis = try RedisRemote(home: ToolHome())
        guard case .redis(let address) = try RemoteAddress(redis.address) else { throw Cancelled() }
        server = RedisServer(address, timeouts: .init(connect: .seconds(5)), interruption: Interruption())
    }

    private func storage(_ log: Log = .silent) -> RedisStorage { RedisStorage(server, log: log) }

    private var operation: RemoteOperation {
        RemoteOperation(.reading(atMost: 1 << 20, server.timeouts, patience: nil)) {}
    }

    private func claim(by storage: RedisStorage) throws -> any RemoteClaim {
        let token = "\(UInt64.random(in: 0...UInt64.max))"
        guard case .granted(let claim) = try storage.claim(name, token: token, operation) else { throw Cancelled() }
        return claim
    }

    private func number(_ words: [String]) throws -> Int { try server.number(words, operation) }

    private func write(_ text: String, by storage: RedisStorage, under claim: (any RemoteClaim)?) throws {
        try storage.write(MemorySource(Array(text.utf8)), to: place, lifetime: nil, under: claim, operation)
    }

    private func text() throws -> String {
        let sink = MemorySink()
        _ = try storage().read(place, operation) { try sink.write($0) }
        return String(decoding: sink.bytes, as: UTF8.self)
    }

    @Test func holderOfAnExpiredLeaseCannotOverwriteALaterDocument() throws {
        let lines = Monitor<[String]>([])
        let log = Log(tool: "test", threshold: .detail) { line in lines.withLock { $0.append(line) } }
        let (one, two) = (storage(log), storage())
        let first = try claim(by: one)
        guard case .held = try two.claim(name, token: "another", operation) else {
            Issue.record("two machines have the same lease")
            return
        }
        // Simulates a first machine that sleeps until its lease expires.
        _ = try number(["DEL", "apod-tools:lease/\(name.digest)"])
        let second = try claim(by: two)
        try write("new", by: two, under: second)
        try write("old", by: one, under: first)
        #expect(try text() == "new")
        // The first machine must not release the lease of the second.
        first.release()
        one.close(within: .seconds(10))
        #expect(
            lines.withLock { $0 } == [
                "test: not uploading an entry that another machine has claimed\n",
                "test: a claim in the remote has expired, and another machine may have taken it\n",
            ])
        #expect(try number(["EXISTS", "apod-tools:lease/\(name.digest)"]) == 1)
        // A run releases its leases at the end.
        two.close(within: .seconds(10))
        #expect(try number(["EXISTS", "apod-tools:lease/\(name.digest)"]) == 0)
        second.release()
    }

    @Test func lostFencingNumbersLoseNoDocument() throws {
        let storage = storage()
        for round in 0..<3 {
            let claim = try claim(by: storage)
            if round == 1 { _ = try number(["DEL", "apod-tools:fence/\(name.digest)"]) }
            try write("\(round)", by: storage, under: claim)
            #expect(try text() == "\(round)")
            claim.release()
            while try number(["EXISTS", "apod-tools:lease/\(name.digest)"]) == 1 {}
        }
        storage.close(within: .seconds(10))
    }

    @Test func redisKeepsValuesAWeekLongerThanTheirLifetime() throws {
        let storage = storage()
        try write("small", by: storage, under: nil)
        let large = RemoteObject.content(SHA256.hex(of: "large"))
        let bytes = [UInt8](repeating: 7, count: 2 * RedisStorage.pieceSize + 5)
        try storage.write(MemorySource(bytes), to: large, lifetime: .seconds(60), under: nil, operation)
        #expect(try storage.size(of: large, operation) == bytes.count)
        for path in [place.path, large.path] {
            #expect(try number(["PTTL", RedisStorage.key(path)]) > 6 * 86_400_000)
        }
    }
}
