import Options
import Support

extension AnyOption {
    public static let quiet = Option.flag("quiet", short: "q", .messages, summary: "Print only errors.")

    public static let verbose = Option.flag("verbose", short: "v", .messages, summary: "Also print details.")

    public static let logFormat = Option<Log.Format>.case(
        "log-format", "FORMAT", .messages,
        summary: "Format of messages: plain, or json (JSON Lines)."
    ).asSetting().defaulting(to: .plain)

    public static let progress = Option<ProgressStyle.Choice>.case(
        "progress", "STYLE", .messages,
        summary: "How to show progress: auto draws it on a terminal, plain writes lines for a log.",
        manual: """
            Work that takes less than half a second shows no progress. NO_COLOR, TERM=dumb and CLICOLOR_FORCE are \
            honoured.
            """
    ).asSetting().defaulting(to: .auto)

    public static let metrics = Option.path(
        "metrics", .messages, summary: "Append an event for each step of the work to this file."
    ).asSetting()

    public static let config = Option.path(
        "config", .messages, variable: "APOD_TOOLS_CONFIG", summary: "Read settings from this file.",
        manual: "By default, the file in the configuration folder is read if it exists: see apod-tools.json(5)."
    ).whenUnset("~/.config/apod-tools/config.json")

    public static let confinement = Option.flag(
        "confinement", .messages, means: false,
        summary: "Drop rights that a run does not need. Set it to false to test if a missing right causes a failure.",
        manual: """
            Before a tool reads untrusted data, it drops the rights that the run does not need (on Linux, with \
            Landlock and a system call filter).
            """
    ).asSetting()
}

extension [AnyOption] {
    /// The options of every command.
    public static let messages: [AnyOption] = [
        .quiet, .verbose, .config, .logFormat, .progress, .metrics, .confinement,
    ]
}
