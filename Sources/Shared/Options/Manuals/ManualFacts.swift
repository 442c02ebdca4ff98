/// The parts of a manual page that the tool's commands and options do not define.
public struct ManualFacts: Sendable {
    /// The descriptions of the exit statuses, one per line.
    public let exitStatus: String
    /// Settings without an option, which only the environment or the configuration file can set.
    public let settings: [AnyOption]
    /// Environment variables that belong to no option.
    public let variables: [(names: [String], summary: String)]
    public let files: [(path: String, summary: String)]
    /// Other manual pages, such as `img-cache 1`.
    public let seeAlso: [String]
    /// The date of the page, such as `November 22, 2026`.
    public let date: String

    public init(
        exitStatus: String, settings: [AnyOption], variables: [(names: [String], summary: String)],
        files: [(path: String, summary: String)], seeAlso: [String], date: String
    ) {
        self.exitStatus = exitStatus
        self.settings = settings
        self.variables = variables
        self.files = files
        self.seeAlso = seeAlso
        self.date = date
    }
}
