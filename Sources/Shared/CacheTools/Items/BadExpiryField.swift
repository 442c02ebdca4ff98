import Records
import Support

/// A record's field that should say when its entry expires, and does not.
struct BadExpiryField: Failure {
    let field: FieldPath
    let text: String

    var code: String { "bad-expiry" }
    var message: String {
        "\(field) takes a time such as 7d, a day such as 2026-12-31 or a moment such as 2026-12-31T18:00:00Z, "
            + "not \"\(text.prefix(100))\""
    }
    var exitCode: ExitCode { .data }
}
