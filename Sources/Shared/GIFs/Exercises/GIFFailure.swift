import Formats
import Support

/// A failure of fetching or reading the GIF of an exercise.
public enum GIFFailure: Failure, Equatable {
    /// The record has no field with the id of an exercise.
    case noID(fields: [String])
    case badID(String)
    case keyMissing
    case keyInvalid
    /// The key's account has no plan for this service.
    case notSubscribed
    case unknownExercise(ExerciseGIF)
    /// The plan's requests for this month or day are used up.
    case quotaExceeded(Quota)
    /// No request was made, because an earlier answer reported that the quota is used up.
    case refusing(until: Timestamp)
    /// The answer to a request for the list is not a list.
    case notAList(String)
    /// The open version of ExerciseDB reports a failure. The text is the service's message.
    case refused(String)
    /// The service could not be reached several times in a row, so this run makes no more requests.
    case unreachable
    /// The answer to a request for a GIF is not a GIF. The text names its kind, such as `an HTML page`.
    case notAGIF(String)
    case empty
    /// The GIF ends before its trailer. A retry may help.
    case truncated
    /// The GIF violates the format.
    case corrupt(String)
    /// The GIF has too many frames or pixels.
    case overLimit(String)

    public enum Quota: String, Sendable, CaseIterable {
        case monthly, daily, other
    }

    /// Translates a failure of the GIF parser.
    public init(_ failure: FormatFailure) {
        switch failure {
        case .empty: self = .empty
        case .notAnImage(let kind), .unsupported(let kind, _): self = .notAGIF(kind.phrase)
        case .notGIF(let format): self = .notAGIF("a \(format.name) picture")
        case .truncated(.gif): self = .truncated
        case .truncated(let format): self = .notAGIF("a truncated \(format.name) picture")
        case .corrupt(.gif, let fault): self = .corrupt(fault)
        case .corrupt(let format, _): self = .notAGIF("a corrupt \(format.name) picture")
        case .notRead(let format, _): self = .notAGIF("an unsupported \(format.name) picture")
        case .overLimit(_, let excess): self = .overLimit(excess)
        case .noSuchPage: self = .notAGIF("a TIFF picture")
        case .truncatedMovie, .corruptMovie: self = .notAGIF("a movie")
        }
    }

    public var code: String {
        switch self {
        case .noID: "no-exercise-id"
        case .badID: "bad-exercise-id"
        case .keyMissing: "api-key-missing"
        case .keyInvalid: "api-key-invalid"
        case .notSubscribed: "not-subscribed"
        case .unknownExercise: "unknown-exercise"
        case .quotaExceeded, .refusing: "quota-exceeded"
        case .unreachable: "unreachable"
        case .notAList: "not-a-list"
        case .refused: "service-refused"
        case .notAGIF: "not-a-gif"
        case .empty: "empty-body"
        case .truncated: "truncated-gif"
        case .corrupt: "corrupt-gif"
        case .overLimit: "over-limit"
        }
    }

    /// Whether the key causes the failure, which therefore affects every exercise.
    var isOfKey: Bool { [.keyMissing, .keyInvalid, .notSubscribed].contains(self) }

    public var exitCode: ExitCode {
        switch self {
        case .noID, .badID, .notAGIF, .empty, .corrupt, .notAList: .data
        case .keyMissing, .keyInvalid, .notSubscribed, .overLimit: .notAllowed
        case .unknownExercise, .refused: .unavailable
        case .quotaExceeded, .refusing, .unreachable, .truncated: .temporary
        }
    }

    public var message: String {
        switch self {
        case .noID(let fields): "the record does not name an exercise: it has no \(fields.joined(separator: " or "))"
        case .badID(let text):
            "\"\(text.prefix(80))\" is not a valid exercise id; use 1 to 64 letters, digits, _ and -, such as 0001"
        case .keyMissing: "ExerciseDB requires a key; set EXERCISEDB_API_KEY or EXERCISEDB_API_KEY_FILE"
        case .keyInvalid: "ExerciseDB rejected the key; check EXERCISEDB_API_KEY or EXERCISEDB_API_KEY_FILE"
        case .notSubscribed:
            "the key's account has no ExerciseDB plan; subscribe to one at RapidAPI, such as the free plan"
        case .unknownExercise(let gif): "ExerciseDB has no GIF of \(gif); check the id, including leading zeros"
        case .quotaExceeded(let quota):
            "the plan's requests\(quota.phrase) are used up; try again when they are renewed, or change the plan"
        case .refusing(let until):
            "the quota of the ExerciseDB key is used up until \(until.iso8601); try again then, or use --refresh"
        case .refused(let reason): "ExerciseDB reported an error: \(reason.prefix(200))"
        case .notAList(let fault): "ExerciseDB did not return a list of exercises: \(fault)"
        case .unreachable:
            "ExerciseDB could not be reached several times in a row and is not used again in this run; try again later"
        case .notAGIF(let found): "ExerciseDB returned \(found) instead of a GIF"
        case .empty: "ExerciseDB returned an empty body"
        case .truncated: "ExerciseDB sent a truncated GIF; try again later"
        case .corrupt(let fault): "the GIF is corrupt: \(fault)"
        case .overLimit(let excess): "the GIF exceeds the limit: \(excess)"
        }
    }
}

extension GIFFailure.Quota {
    fileprivate var phrase: String {
        switch self {
        case .monthly: " for this month"
        case .daily: " for today"
        case .other: ""
        }
    }
}
