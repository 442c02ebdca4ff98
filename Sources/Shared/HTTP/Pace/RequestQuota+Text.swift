import Support

/// A quota as one line of text, for a ledger that outlives the process: `limit=1000 remaining=12 window=3600000 …`.
/// Times and durations are in milliseconds. What has no value is left out.
extension RequestQuota: LosslessStringConvertible {
    public var description: String {
        var words: [String] = []
        func add(_ name: String, _ value: Int64?) {
            if let value { words.append("\(name)=\(value)") }
        }
        add("limit", limit.map(Int64.init))
        add("remaining", remaining.map(Int64.init))
        add("window", window.milliseconds)
        add("renewed", renewedAt?.milliseconds)
        add("refused", refusedUntil?.milliseconds)
        add("last", lastStart?.milliseconds)
        add("count", Int64(count))
        add("answered", Int64(answered))
        for start in starts { add("start", start.milliseconds) }
        add("changed", changedAt?.milliseconds)
        return words.joined(separator: " ")
    }

    /// Reads such a line; unknown fields are ignored, so that a later version may add some. Nil if a known one has no
    /// sensible value: the quota then starts again.
    public init?(_ text: String) {
        self.init()
        for word in text.split(separator: " ") {
            let parts = word.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { return nil }
            guard let number = Int64(parts[1]) else { return nil }
            let time = Timestamp(milliseconds: number)
            switch parts[0] {
            case "limit": limit = Int(number)
            case "remaining": remaining = Int(number)
            case "window": window = .milliseconds(number)
            case "renewed": renewedAt = time
            case "refused": refusedUntil = time
            case "last": lastStart = time
            case "count": count = Int(number)
            case "answered": answered = Int(number)
            case "start": starts.append(time)
            case "changed": changedAt = time
            default: break
            }
        }
        let counts = [limit ?? 0, remaining ?? 0, count, answered]
        guard counts.allSatisfy({ (0...1_000_000_000_000).contains($0) }), answered <= count, window > .zero,
            starts.count <= 32
        else { return nil }
    }
}
