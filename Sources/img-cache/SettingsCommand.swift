import CacheTools
import Commands
import HTTP
import Options
import Records
import Store
import Support

extension Command {
    static let settings = Command(
        "settings", summary: "Show every setting with its value and the source of the value.",
        details: """
            Options override the environment, which overrides the configuration file, which overrides the default. \
            Lists the settings of all four tools, but no keys and tokens. In JSON, sizes are in bytes and times in \
            milliseconds. A default that depends on the command has a description instead of a value.
            """,
        examples: [
            "img-cache settings", "img-cache settings --capacity 1GB",
            "img-cache settings --json | jq -r 'select(.source != \"default\").name'",
        ],
        options: { [[.json], .settings, [.quiet, .verbose]] },
        synonyms: ["config", "configuration", "env"]
    ) { arguments in
        let context = try ToolContext(arguments)
        let rows = try [AnyOption].settings.map { option in
            // For a setting without a field, show the name of its option, with `_` for `-`.
            let name = option.field ?? String(option.name.map { $0 == "-" ? "_" : $0 })
            return (name: name, setting: try context.setting(option))
        }
        let output = try ReportOutput(json: arguments[.json])
        let width = rows.map(\.name.count).max() ?? 0
        for (name, setting) in rows {
            let shown = setting.text.isEmpty ? "-" : setting.text
            let isProse = setting.value == nil && !setting.text.isEmpty
            try output.write(
                .object([
                    "name": .string(name), "value": setting.value,
                    "description": isProse ? .string(setting.text) : nil, "source": .string(setting.source),
                ]),
                TerminalText.escaped("\(name.padded(to: width))  \(shown)  (\(setting.source))") + "\n")
        }
        return 0
    }
}

private struct ShownSetting {
    /// Nil if the setting has no value, or if its default depends on the command.
    let value: JSON?
    let text: String
    let source: String
}

extension ToolContext {
    /// Returns the effective value of a setting and its source. May read the cache, but does not change it.
    fileprivate func setting(_ option: AnyOption) throws -> ShownSetting {
        if let (text, source) = try text(option) {
            let place =
                switch source {
                case .option: "--\(option.name)"
                case .environment: option.variable ?? ""
                case .configuration: "configuration"
                }
            let isSecret = option.field == nil && option.group == .secrets
            let shown = isSecret ? "(set)" : WebURL.withoutSecrets(text)
            let value = isSecret ? .string(shown) : option.json(try option.parse(text), shown)
            return ShownSetting(value: value, text: shown, source: place)
        }
        if option.isObject, let field = option.field,
            let (object, _) = try configuration.object(FieldPath(stringLiteral: field))
        {
            let text = String(decoding: object.line, as: UTF8.self)
            return ShownSetting(value: .raw(object.line), text: text, source: "configuration")
        }
        if let text = try path(of: option) { return ShownSetting(value: .string(text), text: text, source: "default") }
        let (value, text) = (option.defaultValue, option.defaultText)
        return ShownSetting(value: value.map { option.json($0, text) }, text: text, source: "default")
    }

    /// Returns the default of a setting whose default is a path or the current scope, or nil for other settings.
    private func path(of option: AnyOption) throws -> String? {
        switch option {
        case AnyOption.cacheDir: try root()
        case AnyOption.config: Configuration.usualPath(environment)
        case AnyOption.scope: try caches(cacheSettings(needsRoot: false)).scope().text
        default: nil
        }
    }
}

extension AnyOption {
    /// Returns a value as JSON, with sizes in bytes and times in milliseconds. If JSON has no type for the value,
    /// returns the string `text`.
    fileprivate func json(_ value: any Sendable, _ text: String) -> JSON {
        switch value {
        case let value as Bool: .bool(value)
        case let value as Int: .integer(value)
        case let value as Duration: .integer(Int(value.milliseconds))
        case let .after(value) as Expiry: .integer(Int(value.milliseconds))
        case let value as Double: .raw(Array("\(value)".utf8))
        default: .string(text)
        }
    }

    fileprivate static func ~= (a: AnyOption, b: AnyOption) -> Bool { a === b }
}
