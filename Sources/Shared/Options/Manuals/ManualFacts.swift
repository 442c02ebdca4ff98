/// The contents of a manual page besides the tool's commands and options.
public struct ManualFacts: Sendable {
    /// Lines of the help about exit statuses.
    public let exitStatus: String
    /// Settings of the tool that only the environment or the configuration file sets.
    public let settings: [AnyOption]
    /// Environment variables that belong to no option, with their purposes.
    public let variables: [(names: [String], summary: String)]
    /// Files, with their purposes.
    public let files: [(path: String, summary: String)]
    /// Other pages: `img-cache 1`.
    public let seeAlso: [String]
    /// `November 22, 2026`.
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
