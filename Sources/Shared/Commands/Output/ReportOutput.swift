import CacheTools
import Records
import Support

/// The output of a command that reports: words on a terminal, otherwise NDJSON.
public struct ReportOutput: Sendable {
    private let output: TextOutput
    private let progress: Progress
    /// Whether it writes words.
    public let isForPeople: Bool

    /// Throws `SystemFailure` if standard output is closed.
    ///
    /// - Parameters:
    ///   - json: whether to write records on a terminal, too.
    ///   - isForced: whether to write words into a pipe or file, too.
    ///   - progress: is hidden during each write.
    public init(json: Bool, isForced: Bool = false, progress: Progress = .none) throws {
        self.progress = progress
        output = try TextOutput.standard()
        isForPeople = !json && (isForced || output.isTerminal)
    }

    /// Writes a description. Throws `SystemFailure`.
    public func write(_ description: some Description) throws { try write(description.json, description.text) }

    /// Writes one of the two, as a line of JSON or as it is. Throws `SystemFailure`.
    public func write(_ json: @autoclosure () -> JSON, _ text: @autoclosure () -> String) throws {
        let bytes = isForPeople ? Array(text().utf8) : json().bytes + [UInt8(ascii: "\n")]
        try progress.aside { () throws(SystemFailure) in
            try output.write(bytes, as: isForPeople ? .plain : .json)
        }
    }
}

extension ToolContext {
    /// Writes the only report of a command. Throws `SystemFailure`.
    public func report(_ json: JSON, _ text: String) throws {
        try ReportOutput(json: arguments[.json]).write(json, text)
    }

    /// Writes bytes to a file, which is replaced in one step, and waited for with `--sync`; to standard output for nil
    /// and `-`. `form` is for a terminal. Throws `SystemFailure`.
    public func write(_ bytes: [UInt8], to path: String?, as form: TextOutput.Form = .plain) throws {
        guard let path, path != "-" else { return try TextOutput.standard().write(bytes, as: form) }
        let file = try OutputFile(path: path)
        try bytes.withUnsafeBytes { try file.write($0) }
        try file.commit(synchronized: value(.sync))
    }
}
