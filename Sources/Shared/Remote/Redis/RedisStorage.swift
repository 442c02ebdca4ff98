import HTTP
import Store
import Support

/// A Redis server. Each object is one value, which goes and comes in pieces if it is large.
///
/// A value that is only half there has another length than its document says, and one that was patched together of two
/// has another digest: both count as absent or damaged.
struct RedisStorage: RemoteStorage {
    private let server: RedisServer
    private let leases: RedisLeases

    init(_ server: RedisServer, log: Log) {
        self.server = server
        leases = RedisLeases(server, log: log)
    }

    /// Small enough to be sent within the time for a first byte over 10 Mbit/s, and to keep no other client waiting.
    static let pieceSize = 1 << 20
    /// How much longer than it is fresh a thing is kept: what has expired is still good for a revalidation.
    static let extraLifetime: Duration = .seconds(7 * 86_400)

    static func key(_ name: String) -> String { "apod-tools:\(name)" }

    func read(
        _ object: RemoteObject, byteLimit: Int, receive: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        var offset = 0
        while true {
            let reply = try server.command(
                ["GETRANGE", Self.key(object.path), "\(offset)", "\(offset + Self.pieceSize - 1)"],
                within: offset == 0 ? server.timeouts.firstByte : server.timeouts.stall)
            guard case .bytes(let bytes) = reply, !bytes.isEmpty else { return offset > 0 }
            offset += bytes.count
            guard offset <= byteLimit else {
                throw RemoteFailure.damaged("\(object.path) has more than \(byteLimit) bytes")
            }
            try bytes.withUnsafeBytes(receive)
            if bytes.count < Self.pieceSize { return true }
        }
    }

    func size(of object: RemoteObject) throws -> Int? {
        guard case .integer(let size) = try server.command(["STRLEN", Self.key(object.path)]), size > 0 else {
            return nil
        }
        return size
    }

    func write(
        _ body: RequestBody, to object: RemoteObject, lifetime: Duration?, under claim: (any RemoteClaim)?,
        check: @escaping @Sendable () throws -> Void
    ) throws {
        let expiry = Self.expiry(lifetime)
        let key = Self.key(object.path)
        if case .document = object {
            let bytes = try piece(of: body, at: 0, atMost: body.count)
            if let claim = claim as? RedisLease {
                return try leases.write(bytes, to: key, expiry: expiry, under: claim)
            }
            _ = try server.command(["PSETEX", key, expiry], bytes, within: server.timeouts.stall)
            return
        }
        if body.count <= Self.pieceSize {
            _ = try server.command(["PSETEX", key, expiry], piece(of: body, at: 0, atMost: Self.pieceSize))
            return
        }
        if try size(of: object).map({ $0 > body.count }) == true { _ = try server.command(["UNLINK", key]) }
        var offset = 0
        while offset < body.count {
            try check()
            let bytes = try piece(of: body, at: offset, atMost: Self.pieceSize)
            _ = try server.command(["SETRANGE", key, "\(offset)"], bytes, within: server.timeouts.stall)
            // What breaks off must not stay for ever.
            if offset == 0 { _ = try server.command(["PEXPIRE", key, expiry]) }
            offset += bytes.count
        }
        _ = try server.command(["PEXPIRE", key, expiry])
    }

    func prolong(_ object: RemoteObject, lifetime: Duration?) throws {
        let script = """
            if redis.call('PTTL',KEYS[1])<tonumber(ARGV[1]) then redis.call('PEXPIRE',KEYS[1],ARGV[1]) end return 1
            """
        _ = try server.command(["EVAL", script, "1", Self.key(object.path), Self.expiry(lifetime)])
    }

    /// How many milliseconds a value is kept.
    private static func expiry(_ lifetime: Duration?) -> String {
        let span = lifetime.map { $0 + extraLifetime } ?? .seconds(365 * 86_400)
        return "\(max(span, extraLifetime).milliseconds)"
    }

    private func piece(of body: RequestBody, at offset: Int, atMost limit: Int) throws -> [UInt8] {
        let wanted = min(limit, body.count - offset)
        let bytes = try [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
            while count < wanted {
                let rest = UnsafeMutableRawBufferPointer(buffer)
                let got = try body.read(.init(rebasing: rest[count..<wanted]), offset + count)
                if got == 0 { break }
                count += got
            }
        }
        guard bytes.count == wanted else { throw RemoteFailure.failed("the file that is handed over became shorter") }
        return bytes
    }

    func claim(_ name: RemoteName, check: () throws -> Void) throws -> (any RemoteClaim)? {
        try leases.claim(name, check: check)
    }

    func close() { leases.close() }
}
