extension [String] {
    /// The words with commas between them, and a conjunction before the last word.
    public func list(before conjunction: String) -> String {
        guard let last, count > 1 else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " \(conjunction) " + last
    }
}
