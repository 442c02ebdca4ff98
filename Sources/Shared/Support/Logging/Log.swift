/// Messages for people: `tool: message`, one line per event. Conceals secrets in addresses (`AddressSecrets`).
public struct Log: Sendable {
    public enum Level: Int, Sendable, Comparable {
        case error, warning, detail
        public static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }

        var word: String {
            switch self {
            case .error: "error"
            case .warning: "warning"
            case .detail: "detail"
            }
        }
    }

    public enum Format: String, Sendable, CaseIterable {
        case plain, json
    }

    /// Facts by name, in order; nil values are omitted.
    public typealias Facts = KeyValuePairs<String, Fact?>

    public let tool: String
    /// The least severe level that is shown: `-q` shows only errors, `-v` also details.
    public let threshold: Level
    public let format: Format
    private let write: @Sendable (String) -> Void

    /// - Parameter write: receives each line with its `\n`; by default writes it to standard error in one call.
    public init(
        tool: String, threshold: Level = .warning, format: Format = .plain,
        write: @escaping @Sendable (String) -> Void = Log.standardError
    ) {
        self.tool = tool
        self.threshold = threshold
        self.format = format
        self.write = write
    }

    /// Discards all messages.
    public static let silent = Log(tool: "", threshold: .error, write: { _ in })

    public func error(_ message: @autoclosure () -> String, facts: Facts = [:]) { say(.error, message, facts) }
    public func error(_ failure: any Failure) { error(failure.message, facts: ["code": .text(failure.code)]) }
    public func warning(_ message: @autoclosure () -> String) { say(.warning, message) }
    public func detail(_ message: @autoclosure () -> String) { say(.detail, message) }

    /// Writes a result for the user, unless the threshold is `error`.
    public func notice(_ message: @autoclosure () -> String) {
        guard threshold >= .warning else { return }
        write(line(word: "notice", prefix: "", message()))
    }

    /// Writes progress at any threshold, since a separate option controls progress.
    func progress(_ message: String, facts: Facts = [:]) { write(line(word: "progress", prefix: "", message, facts)) }

    func shows(_ level: Level) -> Bool { level <= threshold }

    private func say(_ level: Level, _ message: () -> String, _ facts: Facts = [:]) {
        if shows(level) { write(line(level, message(), facts)) }
    }

    func line(_ level: Level, _ message: String, _ facts: Facts = [:]) -> String {
        line(word: level.word, prefix: level == .warning ? "warning: " : "", message, facts)
    }

    private func line(word: String, prefix: String, _ message: String, _ facts: Facts = [:]) -> String {
        let message = AddressSecrets.concealed(in: message)
        switch format {
        case .plain: return "\(tool): \(prefix)\(TerminalText.escaped(message))\n"
        case .json:
            return "{\"time\":\"\(Timestamp.now().iso8601)\",\"tool\":\"\(tool)\",\"level\":\"\(word)\""
                + ",\"message\":\(TerminalText.jsonString(message))\(Self.fields(facts))}\n"
        }
    }

    private static func fields(_ facts: Facts) -> String {
        facts.map { name, fact in fact.map { ",\"\(name)\":\($0.json())" } ?? "" }.joined()
    }

    /// Writes to standard error, above the progress line.
    public static let standardError: @Sendable (String) -> Void = { StandardError.write($0) }
}

/// The value of a field in a JSON message or a metric event.
public enum Fact: Sendable, Equatable {
    case text(String)
    case integer(Int)
    /// Rounded to tenths.
    case decimal(Double)
    /// Written in milliseconds with three decimals.
    case time(Duration)

    /// Returns the value as JSON. Conceals secrets in addresses.
    ///
    /// - Parameter textLimit: the maximum length of a text in bytes of UTF-8, including the `…` after a truncated text.
    func json(textLimit: Int = .max) -> String {
        switch self {
        case .text(let text):
            let text = AddressSecrets.concealed(in: text)
            return TerminalText.jsonString(
                text.utf8.count <= textLimit ? text : text.cut(toBytes: textLimit - "…".utf8.count) + "…")
        case .integer(let number): return "\(number)"
        case .decimal(let value):
            let tenths = Int((min(max(value, 0), 1e15) * 10).rounded())
            return "\(tenths / 10).\(tenths % 10)"
        case .time(let duration):
            let microseconds = max(duration.microseconds, 0)
            let rest = String(microseconds % 1000)
            return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
        }
    }
}
