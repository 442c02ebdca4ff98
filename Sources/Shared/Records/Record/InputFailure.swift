import Support

/// Input that is not a record.
public enum InputFailure: Failure, Equatable {
    case notJSON(JSONFault)
    case notAnObject
    case tooLong(limit: Int)
    case tooManyFields(limit: Int)
    case unfinished
    case notOneObject(count: Int)
    /// The value of a path field contains NUL or is not valid Base64.
    case notAPath(field: String)
    /// The input is binary, such as a picture.
    case binary

    public var code: String {
        switch self {
        case .notJSON: "not-json"
        case .notAnObject, .notOneObject: "not-an-object"
        case .tooLong: "record-too-long"
        case .tooManyFields: "too-many-fields"
        case .unfinished: "truncated-input"
        case .notAPath: "not-a-path"
        case .binary: "binary-input"
        }
    }

    public var message: String {
        switch self {
        case .notJSON(.syntax): "invalid JSON; use one JSON object per line"
        case .notJSON(let fault): fault.message
        case .notAnObject: "a record must be a JSON object"
        case .tooLong(let limit): "the record is longer than \(limit >> 20) MiB"
        case .tooManyFields(let limit): "the record has more than \(limit) fields; group them in objects"
        case .unfinished: "the input ends within a record and is probably truncated"
        case .notAPath(let field): "the record's field \(field) is not a valid path: it contains NUL or is not Base64"
        case .binary: "the input is binary and has no records; to shrink a picture, use img-downsample - -o FILE"
        case .notOneObject(let count): "expected one JSON object, found \(count)"
        }
    }

    public var exitCode: ExitCode { .data }
}

/// A failure with its input line, which the record reports as `input_line`.
public struct LineFailure: WrappingFailure {
    public let reason: any Failure
    /// Counted from 1.
    public let line: Int

    public init(_ reason: any Failure, line: Int) {
        self.reason = reason
        self.line = line
    }

    public var message: String { "line \(line): \(reason.message)" }
}
