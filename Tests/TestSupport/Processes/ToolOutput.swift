/// The exit status and the output of a tool.
public struct ToolOutput: Sendable, CustomStringConvertible {
    /// The command line, for messages.
    public let command: String
    /// The exit status; nil if a signal ended it.
    public let status: Int32?
    /// The signal that ended it, the deadline's SIGKILL included.
    public let signal: Int32?
    /// Whether it was killed because it took longer than its deadline.
    public let overran: Bool
    public let stdoutBytes: [UInt8]
    public let stderrBytes: [UInt8]

    /// Standard output as text, damaged UTF-8 repaired.
    public var stdout: String { String(decoding: stdoutBytes, as: UTF8.self) }
    /// Standard error as text.
    public var stderr: String { String(decoding: stderrBytes, as: UTF8.self) }

    /// The lines of standard output without their ends.
    public var lines: [String] { Self.lines(stdout) }
    public var errorLines: [String] { Self.lines(stderr) }

    /// All there is to know when a test has failed: command, end, both streams (each shortened to 4,000 characters).
    public var description: String {
        let end =
            overran ? "killed at its deadline" : status.map { "exit status \($0)" } ?? "signal \(signal ?? 0)"
        return "\(command)\n  \(end)\n  standard output:\n\(Self.quoted(stdout))"
            + "\n  standard error:\n\(Self.quoted(stderr))"
    }

    /// The output itself where the tool ended with `status`; else throws an error that shows both streams.
    @discardableResult
    public func expect(_ status: Int32 = 0) throws -> ToolOutput {
        guard self.status == status else { throw UnexpectedEnd(expected: status, output: self) }
        return self
    }

    private static func lines(_ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    private static func quoted(_ text: String) -> String {
        if text.isEmpty { return "    (nothing)" }
        let shown = text.count > 4000 ? "\(text.prefix(2000))\n…\n\(text.suffix(2000))" : text
        return lines(shown).map { "    | \($0)" }.joined(separator: "\n")
    }
}

/// A tool ended otherwise than a test expects.
public struct UnexpectedEnd: Error, CustomStringConvertible {
    public let expected: Int32
    public let output: ToolOutput

    public var description: String { "expected exit status \(expected)\n\(output)" }
}
