/// The candidates that a shell offers for an option's value or a command's operand.
public enum Completion: Sendable, Equatable {
    case none
    case files
    /// Files with one of these extensions, such as `gif`, and folders.
    case filesEnding([String])
    case folders
    case words([String])
    /// The items of a comma-separated list.
    case list([String])
    case scopes
    /// Keys of pictures in the cache.
    case keys
    /// Keys of pictures in the cache, and files.
    case pictures
    /// The values of a field in the cached list of exercises. For `exerciseID`, the ids of the cached exercises.
    case exercises(field: String)

    public static let exerciseID = "id"
}
