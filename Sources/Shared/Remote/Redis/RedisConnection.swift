import CHiredis
import HTTP
import Support

/// A connection to a Redis server, by hiredis.
///
/// `@unchecked Sendable`: one thread at a time has it, except for `wake`, which is allowed from any thread as long as
/// there is a reference to this object.
final class RedisConnection: @unchecked Sendable {
    /// What a server replies to a command.
    enum Reply: Equatable {
        case none
        case integer(Int)
        case bytes([UInt8])
    }

    /// The connection broke: perhaps only since it was idle for too long.
    struct Lost: Error {
        let reason: String
        /// Whether the server only did not answer in time: asking it once more would take as long again.
        let isLate: Bool
    }

    private let handle: OpaquePointer

    /// Connects, and introduces itself if the address has a password. Loads hiredis if it isn't loaded yet. Throws
    /// `RemoteFailure`, and `Cancelled` if the run is stopped.
    init(_ address: RemoteAddress.RedisAddress, timeouts: RemoteSettings.Timeouts, interruption: Interruption) throws {
        if let reason = chiredis_load() { throw RemoteFailure.refused(String(cString: reason)) }
        var message = [CChar](repeating: 0, count: Int(CHIREDIS_MESSAGE_CAPACITY))
        var found: OpaquePointer?
        for target in try Self.targets(address, timeouts, interruption) where found == nil {
            found = chiredis_connect(
                target.description, Int32(address.port), Self.milliseconds(timeouts.connect), &message)
        }
        guard let found else {
            throw RemoteFailure.failed("cannot connect to \(address.host):\(address.port): \(Self.text(message))")
        }
        handle = found
        do {
            if let credentials = address.url.credentials {
                let user = credentials.user.isEmpty ? [] : [credentials.user]
                _ = try command(["AUTH"] + user + [credentials.password], within: timeouts.firstByte)
            }
            if address.database > 0 { _ = try command(["SELECT", "\(address.database)"], within: timeouts.firstByte) }
        } catch let lost as Lost {
            throw RemoteFailure.failed("\(address.host):\(address.port): \(lost.reason)")
        }
    }

    deinit { chiredis_close(handle) }

    /// The addresses of the host. hiredis would look them up without a limit of time.
    private static func targets(
        _ address: RemoteAddress.RedisAddress, _ timeouts: RemoteSettings.Timeouts, _ interruption: Interruption
    ) throws -> [IPAddress] {
        if let known = address.url.address { return [known] }
        let found = try NameLookup.addresses(of: address.host, limit: timeouts.connect, interruption: interruption)
        guard !found.isEmpty else { throw RemoteFailure.failed("cannot find the address of \(address.host)") }
        return found
    }

    /// Makes what waits on the connection fail at once.
    func wake() { chiredis_wake(handle) }

    /// Sends a command, and returns the server's reply. Throws `Lost`, and `RemoteFailure` if the server refuses it.
    func command(_ words: [String], _ bytes: [UInt8]? = nil, within limit: Duration) throws -> Reply {
        var arguments = words.map { Array($0.utf8) }
        if let bytes { arguments.append(bytes) }
        var reply = chiredis_reply()
        var message = [CChar](repeating: 0, count: Int(CHIREDIS_MESSAGE_CAPACITY))
        let lengths = arguments.map(\.count)
        let isDone = Self.withPointers(to: arguments) { pointers in
            chiredis_command(
                handle, Self.milliseconds(limit), Int32(pointers.count), pointers.baseAddress!, lengths, &reply,
                &message)
        }
        guard isDone else { throw Lost(reason: Self.text(message), isLate: reply.is_late) }
        defer { chiredis_free(&reply) }
        let content = reply.bytes.map { UnsafeRawBufferPointer(start: $0, count: reply.count) }
        switch reply.kind {
        case CHIREDIS_NIL: return .none
        case CHIREDIS_INTEGER: return .integer(Int(reply.integer))
        case CHIREDIS_BYTES: return .bytes(content.map { [UInt8]($0) } ?? [])
        case CHIREDIS_ERROR: throw Self.refusal(String(decoding: content ?? .init(start: nil, count: 0), as: UTF8.self))
        default: throw RemoteFailure.failed("the Redis server gave a reply of another kind than expected")
        }
    }

    /// What a server's refusal means. A missing right or a wrong password stays; a full or a loading server may not.
    private static func refusal(_ text: String) -> RemoteFailure {
        let isFinal = ["NOPERM", "NOAUTH", "WRONGPASS", "READONLY", "ERR AUTH", "ERR unknown command"]
            .contains(where: text.hasPrefix)
        // Of a command that it does not know, a server repeats the arguments, a password among them.
        let words =
            text.hasPrefix("ERR unknown command")
            ? "the Redis server does not know a command that is needed"
            : "the Redis server refuses: \(text.prefix(200))"
        return isFinal ? .refused(words) : .failed(words)
    }

    /// Calls `body` with a pointer to the bytes of each argument, all of which stay valid meanwhile.
    private static func withPointers<Result>(
        to arguments: [[UInt8]], _ body: (UnsafeMutableBufferPointer<UnsafePointer<CChar>>) -> Result
    ) -> Result {
        let all = UnsafeMutableBufferPointer<CChar>.allocate(capacity: arguments.reduce(0) { $0 + $1.count } + 1)
        defer { all.deallocate() }
        let pointers = UnsafeMutableBufferPointer<UnsafePointer<CChar>>.allocate(capacity: arguments.count)
        defer { pointers.deallocate() }
        var offset = 0
        for (index, argument) in arguments.enumerated() {
            argument.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(all)[offset...]).copyMemory(
                    from: bytes)
            }
            pointers.initializeElement(at: index, to: UnsafePointer(all.baseAddress! + offset))
            offset += argument.count
        }
        return body(pointers)
    }

    private static func text(_ message: [CChar]) -> String {
        String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func milliseconds(_ span: Duration) -> Int32 {
        Int32(min(max(span.milliseconds, 1), Int64(Int32.max)))
    }
}
