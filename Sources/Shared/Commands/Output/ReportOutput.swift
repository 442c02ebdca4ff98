import Records
import Support

/// The output of a command that reports: words on a terminal, otherwise NDJSON.
public struct ReportOutput: Sendable {
    private let file: File
    private let progress: Progress
    /// Whether it writes words.
    public let isForPeople: Bool

    /// Throws `SystemFailure` if standard output is closed.
    ///
    /// - Parameters:
    ///   - json: whether to write records in any case.
    ///   - isForced: whether to write words in any case.
    ///   - progress: what may be drawn meanwhile.
    public init(json: Bool, isForced: Bool = false, progress: Progress = .none) throws {
        self.progress = progress
        file = try File(descriptor: 1, path: "standard output", closes: false)
        isForPeople = !json && (isForced || Terminal.isTerminal(1))
    }

    /// Writes one of the two, as a line of JSON or as it is. Throws `SystemFailure`.
    public func write(_ json: @autoclosure () -> JSON, _ text: @autoclosure () -> String) throws {
        let bytes = isForPeople ? Array(text().utf8) : json().bytes + [UInt8(ascii: "\n")]
        try progress.aside { () throws(SystemFailure) in try file.write(bytes) }
    }
}
