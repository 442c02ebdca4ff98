/// The exit status and the output of a tool.
public struct ToolOutput: Sendable, CustomStringConvertible {
    /// The command line, for messages.
    public let command: String
    /// The exit status; nil if a signal ended the tool.
    public let status: Int32?
    /// The signal that ended the tool, including SIGKILL at the deadline.
    public let signal: Int32?
    /// Whether the tool exceeded its deadline and was killed.
    public let overran: Bool
    public let stdoutBytes: [UInt8]
    public let stderrBytes: [UInt8]

    /// Standard output as text, with invalid UTF-8 replaced.
    public var stdout: String { String(decoding: stdoutBytes, as: UTF8.self) }
    /// Standard error as text.
    public var stderr: String { String(decoding: stderrBytes, as: UTF8.self) }

    /// The lines of standard output, without newlines.
    public var lines: [String] { Self.lines(stdout) }
    public var errorLines: [String] { Self.lines(stderr) }

    /// A description for failed tests: command, end, and both streams, each shortened to 4,000 characters.
    public var description: String {
        let end =
            overran ? "killed at its deadline" : status.map { "exit status \($0)" } ?? "signal \(signal ?? 0)"
        return "\(command)\n  \(end)\n  standard output:\n\(Self.quoted(stdout))"
            + "\n  standard error:\n\(Self.quoted(stderr))"
    }

    /// Returns the output if the tool ended with `status`, else throws an error that shows both streams.
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

/// A tool did not end with the expected status.
public struct UnexpectedEnd: Error, CustomStringConvertible {
    public let expected: Int32
    public let output: ToolOutput

    public var description: String { "expected exit status \(expected)\n\(output)" }
}
