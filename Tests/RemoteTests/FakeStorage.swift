import HTTP
import Support

@testable import Remote
@testable import Store

/// A storage in memory that can fail and block its writers on request.
final class FakeStorage: RemoteStorage {
    struct State {
        var objects: [String: [UInt8]] = [:]
        var reads: [String] = []
        var writes: [String] = []
        /// Thrown by every call.
        var failure: RemoteFailure?
        var writeFailure: RemoteFailure?
        var isHolding = false
        /// Whether another machine has every claim.
        var isClaimed = false
        var waiting = 0
    }

    let state = Monitor(State())

    func read(
        _ object: RemoteObject, _ operation: RemoteOperation, receive: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        let bytes = try state.withLock { state throws in
            state.reads.append(object.path)
            if let failure = state.failure { throw failure }
            return state.objects[object.path]
        }
        guard let bytes else { return false }
        try bytes.withUnsafeBytes(receive)
        return true
    }

    func size(of object: RemoteObject, _ operation: RemoteOperation) throws -> Int? {
        try state.withLock { state throws in
            if let failure = state.failure { throw failure }
            return state.objects[object.path]?.count
        }
    }

    func claim(_ name: RemoteName, token: String, _ operation: RemoteOperation) -> ClaimAnswer {
        state.withLock { $0.isClaimed ? .held : .none }
    }

    func write(
        _ body: any ByteSource, to object: RemoteObject, lifetime: Duration?, under claim: (any RemoteClaim)?,
        _ operation: RemoteOperation
    ) throws {
        state.update { $0.waiting += 1 }
        defer { state.update { $0.waiting -= 1 } }
        while state.wait(atMost: .milliseconds(10), for: { $0.isHolding ? nil : true }) == nil { try operation.check() }
        let bytes = try body.bytes(0..<body.count)
        try state.withLock { state throws in
            if let failure = state.failure ?? state.writeFailure { throw failure }
            state.writes.append(object.path)
            state.objects[object.path] = bytes
        }
    }
}

/// A remote over a storage in memory, with its log.
struct World {
    let storage = FakeStorage()
    let interruption = Interruption()
    let remote: Remote
    let lines = Monitor<[String]>([])

    init(_ change: (inout RemoteSettings) -> Void = { _ in }) throws {
        var settings = RemoteSettings(
            try RemoteAddress("file:///nowhere"), mode: .both, scopes: .standard, connect: .milliseconds(250),
            wait: .seconds(5))
        change(&settings)
        remote = Remote(
            settings, storage: storage,
            log: Log(tool: "test", threshold: .detail, write: { [lines] line in lines.withLock { $0.append(line) } }),
            interruption: interruption)
    }

    var warnings: [String] { lines.withLock { $0.filter { $0.contains("warning") } } }
}

extension RemoteDocument {
    /// Returns a document for these bytes under a key.
    static func original(_ key: String, _ bytes: [UInt8]) throws -> RemoteDocument {
        RemoteDocument(
            name: RemoteName(originalOf: try CacheKey(printed: key), in: .standard), subject: .original(key: key),
            content: .bytes(sha256: SHA256.hex(of: bytes), count: bytes.count),
            picture: FileFacts(
                contentType: "image/png", fileExtension: "png", width: 3, height: 2, details: "a \"note\""),
            url: key, validators: Validators(etag: "\"1\"", lastModified: "Tue, 14 Nov 2023 00:00:00 GMT"),
            fetchedAt: Timestamp(milliseconds: 1_700_000_000_123),
            expiresAt: Timestamp(milliseconds: 1_700_000_900_456),
            directives: CacheDirectives(
                mustRevalidate: true, isImmutable: true,
                staleWhileRevalidateUntil: Timestamp(milliseconds: 1_700_000_950_000),
                staleIfErrorUntil: Timestamp(milliseconds: 1_700_001_000_000)),
            cost: .milliseconds(250))
    }
}
