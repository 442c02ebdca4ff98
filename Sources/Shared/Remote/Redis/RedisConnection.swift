import HTTP
import Support

/// A connection to a Redis server, used by one thread at a time.
final class RedisConnection: Sendable {
    private let socket: RedisSocket

    private static let bufferSize = 64 << 10

    /// Connects, authenticates if the address has a password, and selects the database. Throws `RemoteFailure`,
    /// `SystemFailure`, and the operation's errors.
    ///
    /// - Parameters:
    ///   - limit: the time limit of the name lookup and of each connection attempt.
    ///   - resolve: looks up the addresses of a host.
    init(
        _ address: RemoteAddress.RedisAddress, within limit: Duration, _ operation: RemoteOperation,
        interruption: Interruption,
        resolve: (String, Duration, Interruption) throws -> [IPAddress] = {
            try NameLookup.addresses(of: $0, limit: $1, interruption: $2)
        }
    ) throws {
        let targets = try address.url.address.map { [$0] } ?? resolve(address.host, limit, interruption)
        guard let last = targets.last else { throw RemoteFailure.failed("cannot find the address of \(address.host)") }
        func connected(to target: IPAddress) throws -> RedisSocket {
            try RedisSocket(target, port: address.port, within: limit, operation)
        }
        var found: RedisSocket?
        for target in targets.dropLast() where found == nil {
            do { found = try connected(to: target) } catch is SystemFailure {}
        }
        socket = try found ?? connected(to: last)
        if let credentials = address.url.credentials {
            let user = credentials.user.isEmpty ? [] : [credentials.user]
            try expectOK(["AUTH"] + user + [credentials.password], operation)
        }
        if address.database > 0 { try expectOK(["SELECT", "\(address.database)"], operation) }
    }

    /// Sends a command. Throws `RemoteFailure` unless the reply is OK.
    private func expectOK(_ words: [String], _ operation: RemoteOperation) throws {
        switch try command(words, operation) {
        case .status("OK"): break
        case .refusal(let text): throw Self.failure(ofRefusal: text)
        default: throw RemoteFailure.failed("the Redis server sent an unexpected reply")
        }
    }

    /// Whether the connection is open and no unexpected bytes have arrived.
    var isUsable: Bool { socket.isQuiet }

    /// Sends a command and returns the reply. Throws `RemoteFailure`, `SystemFailure`, and the errors of `receive` and
    /// the operation. After an error, the connection must not be used again.
    ///
    /// - Parameters:
    ///   - bytes: the last argument of the command.
    ///   - bulkLimit: the maximum size of a bulk reply in bytes.
    ///   - receive: called with the bytes of a bulk reply as they arrive.
    func command(
        _ words: [String], _ operation: RemoteOperation, sending bytes: [UInt8]? = nil, atMost bulkLimit: Int = 0,
        receive: (UnsafeRawBufferPointer) throws -> Void = { _ in }
    ) throws -> RedisReply {
        var message = Array("*\(words.count + (bytes == nil ? 0 : 1))\r\n".utf8)
        for word in words.map({ Array($0.utf8) }) + (bytes.map { [$0] } ?? []) {
            message += "$\(word.count)\r\n".utf8
            message += word
            message += "\r\n".utf8
        }
        try socket.send(message, operation)
        var reader = RedisReplyReader(atMost: bulkLimit)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferSize, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try socket.receive(into: buffer, operation)
            guard count > 0 else { throw RemoteFailure.failed("the Redis server closed the connection") }
            let received = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            if let reply = try reader.add(received, receive: receive) { return reply }
        }
    }

    /// Classifies an error reply. Errors of permission and authentication, read-only servers and unknown commands are
    /// permanent; all other errors, such as OOM and LOADING, are transient.
    static func failure(ofRefusal text: String) -> RemoteFailure {
        let isFinal = ["NOPERM", "NOAUTH", "WRONGPASS", "READONLY", "ERR AUTH", "ERR unknown command"]
            .contains(where: text.hasPrefix)
        // The reply to an unknown command repeats the arguments, which may be secret.
        let words =
            text.hasPrefix("ERR unknown command")
            ? "the Redis server does not support a required command" : "the Redis server reported an error: \(text)"
        return isFinal ? .refused(words) : .failed(words)
    }
}
