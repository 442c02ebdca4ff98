import Fetch
import Records

/// Something that a command says of a record.
public protocol Description {
    /// For a program: the value of a field.
    var json: JSON { get }
    /// For a person: whole lines.
    var text: String { get }
}

/// Says something of each record without changing anything: the work of `info` and `explain`.
public struct DescribeTool: CacheTool {
    /// The field with the words for a person, where those are wanted instead of JSON.
    public static let textField: FieldPath = "info_text"

    public let name: String
    private let field: String
    private let writesText: Bool
    private let describe: @Sendable (RecordJob) throws -> any Description

    /// - Parameters:
    ///   - field: the name of the field that has the JSON.
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
