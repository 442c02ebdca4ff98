import Images
import Records
import Support

extension Focus {
    /// The point that a record's field `focus` names, `{"x":0.4,"y":0.3}`; nil if there is none, or if the field is not
    /// an object with `x` or `y` and so somebody else's. Throws `FocusFailure` for any other value.
    static func of(_ record: Record) throws -> Focus? {
        let (x, y) = (record.printable("focus.x"), record.printable("focus.y"))
        guard x != nil || y != nil else { return nil }
        guard let left = x.flatMap(Double.init), let top = y.flatMap(Double.init), let focus = Focus(x: left, y: top)
        else { throw FocusFailure(x: x, y: y) }
        return focus
    }
}

/// A record's `focus` that is no point of its picture.
struct FocusFailure: Failure, Equatable {
    /// What the field has, as text; nil for what is missing.
    let x: String?
    let y: String?

    var code: String { "bad-focus" }
    var exitCode: ExitCode { .data }

    var message: String {
        "the record's focus has x \(x ?? "missing") and y \(y ?? "missing"); both must be numbers from 0 to 1"
    }
}
