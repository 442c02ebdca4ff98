import Articles

/// A superscript or subscript. As ordinary text, 10 to the power of eleven would become 1011.
enum Script {
    case superscripted, subscripted

    /// Returns the text in Unicode's superscript or subscript characters, or nil if Unicode has no such form of a
    /// character, as in `21st`.
    func characters(for text: String) -> String? {
        var result = String.UnicodeScalarView()
        for scalar in PlainText.folded(text).unicodeScalars {
            guard let character = character(for: scalar) else { return nil }
            result.append(character)
        }
        return result.isEmpty ? nil : String(result)
    }

    /// Returns the character from Unicode's block of superscripts and subscripts. Superscript 1, 2 and 3 are in Latin-1
    /// instead.
    private func character(for scalar: Unicode.Scalar) -> Unicode.Scalar? {
        let base: UInt32 = self == .superscripted ? 0x2070 : 0x2080
        switch (scalar, self) {
        case ("1", .superscripted): return "\u{B9}"
        case ("2", .superscripted): return "\u{B2}"
        case ("3", .superscripted): return "\u{B3}"
        case ("0"..."9", _): return Unicode.Scalar(base + (scalar.value - 0x30))
        case ("+", _): return Unicode.Scalar(base + 10)
        case ("-", _), ("\u{2212}", _), ("\u{2013}", _): return Unicode.Scalar(base + 11)
        default: return nil
        }
    }
}
