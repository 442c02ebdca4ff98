/// Words for a person, on standard error: `tool: message`, one line an event.
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

    public let tool: String
    /// The least grave level that is shown: `-q` leaves errors only, `-v` adds details.
    public let threshold: Level
    public let format: Format
    private let write: @Sendable (String) -> Void

    /// - Parameter write: receives each finished line, `\n` included; by default standard error, one call a line.
    public init(
        tool: String, threshold: Level = .warning, format: Format = .plain,
        write: @escaping @Sendable (String) -> Void = Log.standardError
    ) {
        self.tool = tool
        self.threshold = threshold
        self.format = format
        self.write = write
    }

    /// Says nothing to anyone.
    public static let silent = Log(tool: "", threshold: .error, write: { _ in })

    public func error(_ message: @autoclosure () -> String) { say(.error, message) }
    public func warning(_ message: @autoclosure () -> String) { say(.warning, message) }
    public func detail(_ message: @autoclosure () -> String) { say(.detail, message) }

    /// Says how far the work is, whatever the threshold: who does not want to know has no progress shown.
    func progress(_ message: String) { line(word: "progress", prefix: "", message) }

    private func say(_ level: Level, _ message: () -> String) {
        guard level <= threshold else { return }
        line(word: level.word, prefix: level == .warning ? "warning: " : "", message())
    }

    private func line(word: String, prefix: String, _ message: String) {
        switch format {
        case .plain: write("\(tool): \(prefix)\(TerminalText.escaped(message))\n")
        case .json:
            write(
                "{\"time\":\"\(Timestamp.now().iso8601)\",\"tool\":\"\(tool)\",\"level\":\"\(word)\""
                    + ",\"message\":\(TerminalText.jsonString(message, forTerminal: true))}\n")
        }
    }

    /// Writes to standard error, above what progress draws there.
    public static let standardError: @Sendable (String) -> Void = { StandardError.write($0) }
}
