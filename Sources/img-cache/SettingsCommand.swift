import Commands
import Options
import Records
import Support

extension Command {
    static let settings = Command(
        "settings", summary: "Show every setting, its value, and where it comes from.",
        details: """
            Options override the environment, which overrides the configuration file, which overrides the default. The \
            settings of all four tools are listed. Keys and tokens are not shown.
            """,
        examples: [
            "img-cache settings", "img-cache settings --capacity 1GB",
            "img-cache settings --json | jq -r 'select(.source != \"default\").name'",
        ],
        options: { [[.json], .settings, [.quiet, .verbose, .logFormat, .progress]] },
        synonyms: ["config", "configuration", "env"]
    ) { arguments in
        let context = try ToolContext(arguments)
        let rows = try [AnyOption].settings.map { try SettingRow($0, context) }
        let output = try ReportOutput(json: arguments[.json])
        let width = rows.map(\.name.count).max() ?? 0
        for row in rows { try output.write(row.json, row.text(nameWidth: width)) }
        return 0
    }
}
