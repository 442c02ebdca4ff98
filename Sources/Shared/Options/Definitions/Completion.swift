/// The words that a shell offers as an option's value or a command's argument.
public enum Completion: Sendable, Equatable {
    case none
    case files
    /// Files with one of these endings (`gif`), and folders.
    case filesEnding([String])
    case folders
    case words([String])
    /// Words of a comma-separated list.
    case list([String])
    case scopes
    /// Keys of pictures in the cache.
    case keys
    /// Keys, or files.
    case pictures
    /// Values of a property in the cached list of exercises, or the ids of cached exercises for `exerciseID`.
    case exercises(field: String)

    public static let exerciseID = "id"
}
