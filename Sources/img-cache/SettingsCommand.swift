import Commands
import HTTP
import Options
import Records
import Support
import Tools

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
        let rows = try [AnyOption].settings.map { option in
            let (value, source) = try context.valueInEffect(option)
            return (name: option.field ?? option.name, value: value, source: source)
        }
        let output = try ReportOutput(json: arguments[.json])
        let width = rows.map(\.name.count).max() ?? 0
        for (name, value, source) in rows {
            let shown = value.isEmpty ? "-" : value
            try output.write(
                .object(["name": .string(name), "value": .string(value), "source": .string(source)]),
                TerminalText.escaped("\(name.padded(to: width))  \(shown)  (\(source))") + "\n")
        }
        return 0
    }
}

extension ToolContext {
    /// Returns the value of a setting that is in effect, and where it comes from. Throws `ConfigurationFailure` for one
    /// that the setting does not take.
    fileprivate func valueInEffect(_ option: AnyOption) throws -> (value: String, source: String) {
        if let (text, source) = try text(option) {
            let isSecret = option.field == nil && option.group == .secrets
            let place =
                switch source {
                case .option: "--\(option.name)"
                case .environment: option.variable ?? ""
                case .configuration: "configuration"
                }
            return (isSecret ? "(set)" : WebURL.withoutSecrets(text), place)
        }
        if option.isObject, let field = option.field,
            let (object, _) = try configuration.object(FieldPath(stringLiteral: field))
        {
            return (String(decoding: object.line, as: UTF8.self), "configuration")
        }
        return (option.standard, "default")
    }
}
