import Images
import Records
import Support

extension Focus {
    /// Reads a record's field `focus`, `{"x":0.4,"y":0.3}`. Returns nil if the field is absent, or if it has neither
    /// `x` nor `y` and is therefore a field of another program. Throws `FocusFailure` if `x` or `y` is missing or
    /// invalid.
    static func of(_ record: Record) throws -> Focus? {
        let (x, y) = (record.printable("focus.x"), record.printable("focus.y"))
        guard x != nil || y != nil else { return nil }
        guard let left = x.flatMap(Double.init), let top = y.flatMap(Double.init), let focus = Focus(x: left, y: top)
        else { throw FocusFailure(x: x, y: y) }
        return focus
    }
}

/// The failure for a record whose `focus` is not a point of its picture.
struct FocusFailure: Failure, Equatable {
    let x: String?
    let y: String?

    var code: String { "bad-focus" }
    var exitCode: ExitCode { .data }
    var message: String {
        "the record's focus has x \(x ?? "missing") and y \(y ?? "missing"); both must be numbers from 0 to 1"
    }
}
