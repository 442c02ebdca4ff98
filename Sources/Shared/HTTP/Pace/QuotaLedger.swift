import Support

/// The time until which a server refuses requests.
public struct QuotaRefusal: Sendable, Hashable, LosslessStringConvertible {
    public let until: Timestamp
    /// Requests per window, if the server reports the number.
    public let limit: Int?

    public init(until: Timestamp, limit: Int? = nil) {
        self.until = until
        self.limit = limit
    }

    /// `limit=1000 refused=1800000000000`, with the time in milliseconds.
    public var description: String { "\(limit.map { "limit=\($0) " } ?? "")refused=\(until.milliseconds)" }

    /// Parses a description, ignoring unknown fields. Returns nil if the time is missing, before 1970 or after 9999.
    public init?(_ text: String) {
        var numbers: [Substring: Int64] = [:]
        for word in text.split(separator: " ") {
            let parts = word.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { numbers[parts[0]] = Int64(parts[1]) }
        }
        guard let time = numbers["refused"], (0..<253_402_300_800_000).contains(time) else { return nil }
        self.init(until: Timestamp(milliseconds: time), limit: numbers["limit"].map(Int.init))
    }
}

/// Stores the last refusal of each quota (`QuotaTransport.name`), for one or more processes. A ledger whose storage
/// fails continues in memory. Methods throw only errors that must end the request.
public protocol QuotaLedger: Sendable {
    /// Returns the last refusal, which may have ended.
    func refusal(of name: String) throws -> QuotaRefusal?

    /// Replaces the last refusal, or removes it if `refusal` is nil.
    func keep(_ refusal: QuotaRefusal?, of name: String) throws
}

/// A ledger for the threads of one process.
public final class MemoryQuotas: QuotaLedger {
    private let refusals = Monitor<[String: QuotaRefusal]>([:])

    public init() {}

    public func refusal(of name: String) -> QuotaRefusal? { refusals.withLock { $0[name] } }

    public func keep(_ refusal: QuotaRefusal?, of name: String) { refusals.withLock { $0[name] = refusal } }
}
