extension [String] {
    /// Joins the words with commas, and with a conjunction before the last word.
    public func list(before conjunction: String) -> String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }
}

/// Returns a count with its noun: `1 file`, `2 files`.
///
/// - Parameter plural: nil appends an s to the singular.
public func counted(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(count) \(count == 1 ? singular : plural ?? singular + "s")"
}
