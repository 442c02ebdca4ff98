import CacheTools
import Records
import Support

/// Writes the reports of a command: text on a terminal, otherwise NDJSON.
public struct ReportOutput: Sendable {
    private let output: TextOutput
    private let progress: Progress
    /// Whether reports are written as text rather than NDJSON.
    public let isForPeople: Bool

    /// Throws `SystemFailure` if standard output is closed.
    ///
    /// - Parameters:
    ///   - json: whether to write NDJSON even on a terminal.
    ///   - isForced: whether to write text even to a pipe or file.
    ///   - progress: the progress display, which is hidden during each write.
    public init(json: Bool, isForced: Bool = false, progress: Progress = .none) throws {
        self.progress = progress
        output = try TextOutput.standard()
        isForPeople = !json && (isForced || output.isTerminal)
    }

    /// Writes a description. Throws `SystemFailure`.
    public func write(_ description: some Description) throws { try write(description.json, description.text) }

    /// Writes `json` as a line of NDJSON, or writes `text` unchanged. Throws `SystemFailure`.
    public func write(_ json: @autoclosure () -> JSON, _ text: @autoclosure () -> String) throws {
        let bytes = isForPeople ? Array(text().utf8) : json().bytes + [UInt8(ascii: "\n")]
        try progress.clearingProgressLine { () throws(SystemFailure) in
            try output.write(bytes, as: isForPeople ? .plain : .json)
        }
    }
}
