import Records
import Support

/// How a stream of records is worked on and written: what `StreamOptions` has, or those of it that a command declares
/// itself.
public protocol StreamArguments {
    var jobs: String? { get }
    var unordered: Bool { get }
    var failFast: Bool { get }
    var strict: Bool { get }
    var retryErrors: Bool { get }
    var print: String? { get }
    var nullTerminated: Bool { get }
    var pretty: Bool { get }
}

/// As if the option were not given: a line that is read without ArgumentParser has but a few of them (`runTool`).
extension StreamArguments {
    public var jobs: String? { nil }
    public var unordered: Bool { false }
    public var failFast: Bool { false }
    public var strict: Bool { false }
    public var retryErrors: Bool { false }
    public var print: String? { nil }
    public var nullTerminated: Bool { false }
    public var pretty: Bool { false }
}

extension StreamArguments {
    /// - Parameter jobs: how many at once where nothing is said.
    public func runOptions(_ context: ToolContext, jobs standard: Int) throws -> RecordRunOptions {
        var options = RecordRunOptions()
        let wanted = try context.setting("jobs", option: jobs, expected: "a number from 1 to 256") { text in
            Int(text).flatMap { (1...256).contains($0) ? $0 : nil }
        }
        options.jobs = wanted ?? standard
        options.unordered = unordered
        options.failFast = failFast
        options.strict = strict
        options.retryErrors = retryErrors
        options.layout = try recordLayout()
        return options
    }

    private func recordLayout() throws -> RecordLayout {
        guard let print else {
            if nullTerminated { throw UsageFailure("-0 goes with --print") }
            return pretty ? .indented : .lines
        }
        guard let path = FieldPath(print) else {
            throw UsageFailure("--print takes a field or a dotted path such as variants.overlay.path, not \"\(print)\"")
        }
        return .field(path, terminator: nullTerminated ? 0 : UInt8(ascii: "\n"))
    }
}
