/// Reports each step of a run as an event. Functions pass it on as a parameter, like `Log`. Without a receiver, no
/// event is created.
public struct Metrics: Sendable {
    private let take: (@Sendable (MetricEvent) -> Void)?

    public static let silent = Metrics(nil)

    /// - Parameter take: receives each event, on the thread that adds it; nil discards all events.
    public init(_ take: (@Sendable (MetricEvent) -> Void)?) { self.take = take }

    public var isSilent: Bool { take == nil }

    public func add(_ event: @autoclosure () -> MetricEvent) { take?(event()) }

    /// Runs `body`, and adds the event that `event` returns for its result and duration.
    public func measure<Success>(
        _ body: () throws -> Success, event: (Result<Success, any Error>, Duration) -> MetricEvent
    ) rethrows -> Success {
        guard let take else { return try body() }
        let start = SteadyTime.now()
        do {
            let success = try body()
            take(event(.success(success), SteadyTime.now() - start))
            return success
        } catch {
            take(event(.failure(error), SteadyTime.now() - start))
            throw error
        }
    }
}

/// A step of a run.
public struct MetricEvent: Sendable {
    public enum Kind: String, Sendable, CaseIterable {
        case cache, trim, download, remote, decode, encode

        /// The description in the manual.
        public var meaning: String {
            switch self {
            case .cache: "A picture was looked up, fetched, stored or removed."
            case .trim: "Entries were evicted to keep the cache below its capacity."
            case .download: "A request was answered or failed; each redirect and each retry is a separate event."
            case .remote: "A document or bytes were requested from the remote, or uploaded to it."
            case .decode: "A picture was decoded; the time includes making all its outputs."
            case .encode: "An output of a picture was completed; the time is measured from the start of decoding."
            }
        }
    }

    public let kind: Kind
    public let fields: [(name: String, value: Fact)]

    /// - Parameter fields: in order; nil values are omitted. `line` conceals secrets in addresses.
    public init(_ kind: Kind, _ fields: KeyValuePairs<String, Fact?>) {
        self.kind = kind
        self.fields = fields.compactMap { name, value in value.map { (name, $0) } }
    }

    /// Returns the code of a step's failure, or nil if it succeeded.
    public static func code(of result: Result<some Any, any Error>) -> Fact? {
        guard case .failure(let error) = result, let failure = error as? any Failure else { return nil }
        return .text(failure.code)
    }

    public subscript(name: String) -> Fact? { fields.first { $0.name == name }?.value }

    /// Returns the event as a line of JSON, including the newline. Truncates texts if the line exceeds `byteLimit`.
    func line(tool: String, pid: Int32, time: Timestamp, byteLimit: Int = .max) -> [UInt8] {
        let whole = line(tool: tool, pid: pid, time: time, textLimit: .max)
        if whole.utf8.count <= byteLimit { return Array(whole.utf8) }
        // JSON escapes a byte of text with at most six bytes.
        let texts = fields.count { if case .text = $0.value { true } else { false } }
        let rest = byteLimit - 200 - 40 * fields.count
        return Array(line(tool: tool, pid: pid, time: time, textLimit: max(rest / (6 * max(texts, 1)), 0)).utf8)
    }

    private func line(tool: String, pid: Int32, time: Timestamp, textLimit: Int) -> String {
        var line = "{\"time\":\"\(time.iso8601Milliseconds)\",\"tool\":\(TerminalText.jsonString(tool)),\"pid\":\(pid)"
        line += ",\"event\":\"\(kind.rawValue)\""
        for (name, value) in fields { line += ",\"\(name)\":\(value.json(textLimit: textLimit))" }
        return line + "}\n"
    }
}
