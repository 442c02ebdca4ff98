import Options
import Support

/// Options of messages, progress and the configuration file.
extension AnyOption {
    public static let quiet = Option.flag("quiet", short: "q", .messages, summary: "Print errors only.")

    public static let verbose = Option.flag("verbose", short: "v", .messages, summary: "Also print what happens.")

    public static let logFormat = Option<Log.Format>.case(
        "log-format", "FORMAT", .messages,
        summary: "How to write messages: plain, or json for one object per line."
    ).asSetting().defaulting(to: .plain)

    public static let progress = Option<ProgressStyle.Choice>.case(
        "progress", "STYLE", .messages,
        summary: "How to show progress: auto draws it on a terminal, plain writes lines for a log.",
        manual: """
            Nothing is drawn for work that takes less than half a second. NO_COLOR, TERM=dumb and CLICOLOR_FORCE are \
            honoured.
            """
    ).asSetting().defaulting(to: .auto)

    public static let metrics = Option.path(
        "metrics", .messages, summary: "Append an event for each step of the work to this file."
    ).asSetting()

    public static let config = Option.path(
        "config", .messages, variable: "APOD_TOOLS_CONFIG", summary: "Read settings from this file.",
        manual: "If it is not given, the file at the usual place is read if it exists: see apod-tools.json(5)."
    ).whenUnset("~/.config/apod-tools/config.json")

    public static let confinement = Option.flag(
        "confinement", .messages, means: false,
        summary: "Give up rights that the process does not need; false helps to find out why something is refused.",
        manual: """
            The tools give up what a run does not need (Landlock and a system call filter on Linux) before they look \
            at anything that a stranger prepared.
            """
    ).asSetting()
}

extension [AnyOption] {
    /// The options of every command.
    public static let messages: [AnyOption] = [
        .quiet, .verbose, .config, .logFormat, .progress, .metrics, .confinement,
    ]
}
