import Records

/// A description of a record's entry.
public protocol Description {
    /// The description as the value of a record's field.
    var json: JSON { get }
    /// The description as complete lines for a terminal.
    var text: String { get }
}

/// Adds only a description to each record, for `info` and `explain`.
public struct DescribeTool: CacheTool {
    /// The field for `Description.text`, which is printed on a terminal.
    public static let textField: FieldPath = "info_text"

    public let name: String
    private let field: String
    private let writesText: Bool
    private let describe: @Sendable (RecordJob) throws -> any Description

    /// - Parameter writesText: whether to set `textField` to the text, instead of `field` to the JSON.
    public init(
        name: String, field: String, writesText: Bool,
        describe: @escaping @Sendable (RecordJob) throws -> any Description
    ) {
        self.name = name
        self.field = field
        self.writesText = writesText
        self.describe = describe
    }

    public func prepare(_ job: RecordJob) -> Prepared {
        .work { record, _ in
            let description = try describe(job)
            if writesText {
                record.set(Self.textField.description, .string(description.text))
            } else {
                record.set(field, description.json)
            }
        }
    }
}
