import Records
import Support

/// How a command that reports writes: words on a terminal, else NDJSON.
public struct ReportOutput: Sendable {
    private let file: File
    private let progress: Progress
    /// Whether somebody reads it.
    public let isForPeople: Bool

    /// - Parameters:
    ///   - json: whether records are asked for in any case.
    ///   - isForced: whether words are asked for in any case.
    ///   - progress: what may be drawn meanwhile.
    public init(json: Bool, isForced: Bool = false, progress: Progress = .none) throws {
        self.progress = progress
        file = try File(descriptor: 1, path: "standard output", closes: false)
        isForPeople = !json && (isForced || Terminal.isTerminal(1))
    }

    public func write(_ json: @autoclosure () -> JSON, _ text: @autoclosure () -> String) throws {
        let bytes = isForPeople ? Array(text().utf8) : json().bytes + [UInt8(ascii: "\n")]
        try progress.aside { () throws(SystemFailure) in try file.write(bytes) }
    }
}
