enum RedisReply: Equatable {
    case none
    case integer(Int)
    case status(String)
    /// The size of a bulk string, whose bytes were passed to the receiver as they arrived.
    case bytes(Int)
    case refusal(String)
}

/// An incremental parser of a single RESP2 reply, in constant memory. No command used here replies with an array or a
/// RESP3 type, so the parser refuses such replies at their first byte.
struct RedisReplyReader {
    /// The maximum length of a line: longer than any status, number or error that Redis sends.
    static let lineLimit = 4096

    private let bulkLimit: Int
    private var line: [UInt8] = []
    /// The size of the current bulk string, and the number of bytes still missing, CRLF included.
    private var bulk: (count: Int, rest: Int)?

    init(atMost bulkLimit: Int) { self.bulkLimit = bulkLimit }

    /// Parses the next bytes, and passes the bytes of a bulk string to `receive`. Returns the reply once it is
    /// complete. Throws `RemoteFailure` for bad syntax, a reply beyond the limits, and bytes after the reply.
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
        if let first = line.first, !"+-:$".utf8.contains(first) { throw Self.bad("sent a reply of an unknown type") }
        guard line.count <= Self.lineLimit else { throw Self.bad("sent a line that is too long") }
        guard end != nil else { return nil }
        guard line.popLast() == UInt8(ascii: "\r"), let type = line.first else { throw Self.bad("sent invalid data") }
        let text = String(decoding: line.dropFirst(), as: UTF8.self)
        line.removeAll()
        switch type {
        case UInt8(ascii: "+"): return .status(text)
        case UInt8(ascii: "-"): return .refusal(text)
        case UInt8(ascii: ":"):
            guard let number = Int(text) else { throw Self.bad("sent an invalid number") }
            return .integer(number)
        default:
            if text == "-1" { return RedisReply.none }
            guard let count = Int(text), count >= 0 else { throw Self.bad("sent an invalid length") }
            guard count <= bulkLimit else { throw Self.bad("announced \(count) bytes, more than were requested") }
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
            guard byte == UInt8(ascii: bulk.rest == 2 ? "\r" : "\n") else { throw Self.bad("sent invalid data") }
            bulk.rest -= 1
        }
        self.bulk = bulk
        return bulk.rest == 0 ? .bytes(bulk.count) : nil
    }

    private static func bad(_ words: String) -> RemoteFailure { .failed("the Redis server \(words)") }
}
