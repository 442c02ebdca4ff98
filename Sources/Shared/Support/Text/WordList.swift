extension [String] {
    /// Joins the words with commas, and with a conjunction before the last word.
    public func list(before conjunction: String) -> String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }
}
