/// A decimal number with a unit behind it, as in `200MB`.
enum NumberWithUnit {
    /// Splits a decimal number, with at most one point, from the letters after it.
    static func split(_ text: String) -> (number: Double, unit: Substring)? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard digits.first?.isNumber == true, digits.last?.isNumber == true, digits.count <= 18,
            digits.count(where: { $0 == "." }) <= 1, let number = Double(digits)
        else { return nil }
        return (number, text[digits.endIndex...].drop { $0 == " " })
    }
}
