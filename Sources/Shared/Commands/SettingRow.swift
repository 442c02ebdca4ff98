import HTTP
import Options
import Records
import Support

/// A setting, its value in effect, and where that comes from.
public struct SettingRow: Sendable, Equatable {
    public let name: String
    let value: String
    let source: String

    /// Finds the value in effect. Throws `ConfigurationFailure` for one that the setting does not take.
    public init(_ option: AnyOption, _ context: ToolContext) throws {
        name = option.field ?? option.name
        let isSecret = option.field == nil && option.group == .secrets
        if let (text, source) = try context.text(option) {
            value = isSecret ? "(set)" : WebURL.withoutSecrets(text)
            self.source =
                switch source {
                case .option: "--\(option.name)"
                case .environment: option.variable ?? ""
                case .configuration: "configuration"
                }
        } else if option.isObject, let field = option.field,
            let (object, _) = try context.configuration.object(FieldPath(stringLiteral: field))
        {
            value = String(decoding: object.line, as: UTF8.self)
            source = "configuration"
        } else {
            value = option.standard
            source = "default"
        }
    }

    public var json: JSON {
        .object(["name": .string(name), "value": .string(value), "source": .string(source)])
    }

    /// A line of the table.
    public func text(nameWidth: Int) -> String {
        let name = name + String(repeating: " ", count: nameWidth - name.count)
        return TerminalText.escaped("\(name)  \(value.isEmpty ? "-" : value)  (\(source))") + "\n"
    }
}
