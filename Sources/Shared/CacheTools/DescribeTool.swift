import Fetch
import Records

/// A description of a record's entry.
public protocol Description {
    /// The value of a field.
    var json: JSON { get }
    /// Complete lines for a terminal.
    var text: String { get }
}

/// Adds a description to each record and changes nothing else, for `info` and `explain`.
public struct DescribeTool: CacheTool {
    /// The field with the text, if it replaces the JSON.
    public static let textField: FieldPath = "info_text"

    public let name: String
    private let field: String
    private let writesText: Bool
    private let describe: @Sendable (RecordJob) throws -> any Description

    /// - Parameters:
    ///   - field: the field of the JSON.
    ///   - writesText: sets `textField` instead.
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
