import HTTP
import Store
import Support

/// A Redis server that stores each object as a string. Large strings are read and written in pieces.
///
/// Writing in pieces is not atomic. The length of an incomplete string differs from the length in its document, and the
/// SHA-256 of a string mixed from two writes differs from its name. Such objects are treated as absent or damaged.
struct RedisStorage: RemoteStorage {
    private let server: RedisServer
    private let claims: RedisClaims

    init(_ server: RedisServer, log: Log) {
        self.server = server
        claims = RedisClaims(server, log: log)
    }

    /// The number of bytes per GETRANGE, small enough not to delay other clients.
    static let pieceSize = 1 << 20
    /// The number of bytes per SETRANGE, small enough that a piece is sent before the write counts as stalled, even at
    /// the minimum rate.
    static let writtenPieceSize = 1 << 18
    /// The time that objects are kept after their expiry, because an expired picture can still be revalidated.
    static let extraLifetime: Duration = .seconds(7 * 86_400)

    static func key(_ name: String) -> String { "apod-tools:\(name)" }

    func read(
        _ object: RemoteObject, _ operation: RemoteOperation, receive: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        var offset = 0
        while true {
            let reply = try server.command(
                ["GETRANGE", Self.key(object.path), "\(offset)", "\(offset + Self.pieceSize - 1)"], operation,
                atMost: Self.pieceSize, receive: receive)
            guard case .bytes(let count) = reply else { throw RedisServer.unexpected }
            offset += count
            if count < Self.pieceSize { return offset > 0 }
        }
    }

    func size(of object: RemoteObject, _ operation: RemoteOperation) throws -> Int? {
        let size = try server.number(["STRLEN", Self.key(object.path)], operation)
        return size > 0 ? size : nil
    }

    func write(
        _ body: any ByteSource, to object: RemoteObject, lifetime: Duration?, under claim: (any RemoteClaim)?,
        _ operation: RemoteOperation
    ) throws {
        let expiry = Self.expiry(lifetime)
        let key = Self.key(object.path)
        if case .document = object {
            let bytes = try piece(of: body, at: 0, atMost: body.count)
            if let claim = claim as? RedisClaim {
                return try claims.write(bytes, to: key, expiry: expiry, under: claim, operation)
            }
            return try server.store(["PSETEX", key, expiry], bytes, operation)
        }
        if body.count <= Self.writtenPieceSize {
            return try server.store(["PSETEX", key, expiry], piece(of: body, at: 0, atMost: body.count), operation)
        }
        if try size(of: object, operation).map({ $0 > body.count }) == true {
            _ = try server.number(["UNLINK", key], operation)
        }
        var offset = 0
        while offset < body.count {
            let bytes = try piece(of: body, at: offset, atMost: Self.writtenPieceSize)
            _ = try server.number(["SETRANGE", key, "\(offset)"], operation, sending: bytes)
            // Set the expiry with the first piece, so that an interrupted write expires.
            if offset == 0 { _ = try server.number(["PEXPIRE", key, expiry], operation) }
            offset += bytes.count
        }
        _ = try server.number(["PEXPIRE", key, expiry], operation)
    }

    func prolong(_ object: RemoteObject, lifetime: Duration?, _ operation: RemoteOperation) throws {
        let script = """
            if redis.call('PTTL',KEYS[1])<tonumber(ARGV[1]) then redis.call('PEXPIRE',KEYS[1],ARGV[1]) end return 1
            """
        _ = try server.number(["EVAL", script, "1", Self.key(object.path), Self.expiry(lifetime)], operation)
    }

    /// Returns the time in milliseconds after which Redis deletes an object with this lifetime.
    private static func expiry(_ lifetime: Duration?) -> String {
        let span = lifetime.map { $0 + extraLifetime } ?? .seconds(365 * 86_400)
        return "\(max(span, extraLifetime).milliseconds)"
    }

    private func piece(of body: any ByteSource, at offset: Int, atMost limit: Int) throws -> [UInt8] {
        let bytes = try body.bytes(offset..<offset + limit)
        guard bytes.count == min(limit, body.count - offset) else { throw RemoteFailure.shortened }
        return bytes
    }

    func claim(_ name: RemoteName, token: String, _ operation: RemoteOperation) throws -> ClaimAnswer {
        try claims.claim(name, token: token, operation).map(ClaimAnswer.granted) ?? .held
    }

    func close(within limit: Duration) { claims.close(within: limit) }
}
