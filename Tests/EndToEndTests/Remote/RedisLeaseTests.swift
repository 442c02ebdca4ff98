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

    private func storage() -> RedisStorage { RedisStorage(server, log: .silent) }

    private func write(_ text: String, by storage: RedisStorage, under claim: (any RemoteClaim)?) throws {
        try storage.write(RequestBody(Array(text.utf8)), to: place, lifetime: nil, under: claim) {}
    }

    private func text() throws -> String {
        let sink = MemorySink()
        _ = try storage().read(place, byteLimit: 1000) { try sink.write($0) }
        return String(decoding: sink.bytes, as: UTF8.self)
    }

    @Test func aLaterLeaseIsNotOverwritten() throws {
        let (one, two) = (storage(), storage())
        let first = try #require(try one.claim(name) {})
        // The first machine sleeps for so long that its lease ends.
        _ = try server.command(["DEL", "apod-tools:lease/\(name.digest)"])
        let second = try #require(try two.claim(name) {})
        try write("new", by: two, under: second)
        try write("old", by: one, under: first)
        #expect(try text() == "new")
        // What it gives back is not the other one's.
        first.release()
        #expect(try server.command(["EXISTS", "apod-tools:lease/\(name.digest)"]) == .integer(1))
        second.release()
        #expect(try server.command(["EXISTS", "apod-tools:lease/\(name.digest)"]) == .integer(0))
        one.close()
        two.close()
    }

    @Test func aServerThatForgetsNumbersLosesNoDocument() throws {
        let storage = storage()
        for round in 0..<3 {
            let claim = try #require(try storage.claim(name) {})
            if round == 1 { _ = try server.command(["DEL", "apod-tools:fence/\(name.digest)"]) }
            try write("\(round)", by: storage, under: claim)
            #expect(try text() == "\(round)")
            claim.release()
        }
        storage.close()
    }

    @Test func whatIsStoredExpires() throws {
        let storage = storage()
        try write("small", by: storage, under: nil)
        let large = RemoteObject.content(SHA256.hex(of: "large"))
        let bytes = [UInt8](repeating: 7, count: 2 * RedisStorage.pieceSize + 5)
        try storage.write(RequestBody(bytes), to: large, lifetime: .seconds(60), under: nil) {}
        #expect(try storage.size(of: large) == bytes.count)
        for path in [place.path, large.path] {
            guard case .integer(let left) = try server.command(["PTTL", RedisStorage.key(path)]) else {
                Issue.record("no time")
                return
            }
            #expect(left > 6 * 86_400_000)
        }
    }
}
