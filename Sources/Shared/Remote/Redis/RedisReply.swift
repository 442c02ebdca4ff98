/// What a server replies to a command.
enum RedisReply: Equatable {
    case none
    case integer(Int)
    case status(String)
    /// So many bytes, which were passed on as they arrived.
    case bytes(Int)
    /// An error, in the server's words.
    case refusal(String)
}

/// Reads one reply in the protocol RESP2 from bytes as they arrive, in constant memory. Arrays and the types of RESP3
/// answer none of the commands that are used here; they are refused by their first byte, however deep or long they are.
struct RedisReplyReader {
    /// Longer than any status, number or error that Redis sends.
    static let lineLimit = 4096

    /// The most bytes that a bulk string may announce.
    private let bulkLimit: Int
    private var line: [UInt8] = []
    /// The bulk string that is being read: how many bytes it has, and how many are still to come with its line end.
    private var bulk: (count: Int, rest: Int)?

    init(atMost bulkLimit: Int) { self.bulkLimit = bulkLimit }

    /// Takes the next bytes, and returns the reply once it is complete. Throws `RemoteFailure` for anything but one
    /// reply within the limits, and what `receive` throws, which gets the bytes of a bulk string.
    mutating func add(
        _ bytes: UnsafeRawBufferPointer, receive: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> RedisReply? {
        var rest = bytes[...]
        var reply: RedisReply?
        while reply == nil, !rest.isEmpty {
            reply = try bulk == nil ? takeLine(&rest) : takeBulk(&rest, receive)
        }
        if !rest.isEmpty { throw Self.bad("sent more than one reply") }
        return reply
    }

    private mutating func takeLine(_ rest: inout Slice<UnsafeRawBufferPointer>) throws -> RedisReply? {
        let end = rest.firstIndex(of: UInt8(ascii: "\n"))
        line += rest[..<(end ?? rest.endIndex)]
        rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
        if let first = line.first, !"+-:$".utf8.contains(first) { throw Self.bad("gave a reply of an unknown type") }
        guard line.count <= Self.lineLimit else { throw Self.bad("gave a line without an end") }
        guard end != nil else { return nil }
        guard line.popLast() == UInt8(ascii: "\r"), let type = line.first else { throw Self.bad("broke the protocol") }
        let text = String(decoding: line.dropFirst(), as: UTF8.self)
        line.removeAll()
        switch type {
        case UInt8(ascii: "+"): return .status(text)
        case UInt8(ascii: "-"): return .refusal(text)
        case UInt8(ascii: ":"):
            guard let number = Int(text) else { throw Self.bad("gave a number that is none") }
            return .integer(number)
        default:
            if text == "-1" { return RedisReply.none }
            guard let count = Int(text), count >= 0 else { throw Self.bad("gave a length that is none") }
            guard count <= bulkLimit else { throw Self.bad("announced \(count) bytes, more than were asked for") }
            bulk = (count, count + 2)
            return nil
        }
    }

    private mutating func takeBulk(
        _ rest: inout Slice<UnsafeRawBufferPointer>, _ receive: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> RedisReply? {
        guard var bulk else { return nil }
        if bulk.rest > 2 {
            let piece = rest.prefix(bulk.rest - 2)
            try receive(UnsafeRawBufferPointer(rebasing: piece))
            bulk.rest -= piece.count
            rest = rest.dropFirst(piece.count)
        }
        while bulk.rest <= 2, bulk.rest > 0, let byte = rest.popFirst() {
            guard byte == UInt8(ascii: bulk.rest == 2 ? "\r" : "\n") else { throw Self.bad("broke the protocol") }
            bulk.rest -= 1
        }
        self.bulk = bulk
        return bulk.rest == 0 ? .bytes(bulk.count) : nil
    }

    private static func bad(_ words: String) -> RemoteFailure { .failed("the Redis server \(words)") }
}
