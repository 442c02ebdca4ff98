/// Parses and formats sizes.
public enum ByteCount {
    /// The default limit of downloads and pictures, 256 MiB: the largest originals of NASA's archive have about 200 MB.
    public static let largestPicture = 256 << 20

    /// Parses a number of bytes: `4096`, `200MB` (10⁶), `64MiB` (2²⁰), `1.5GB`, in upper or lower case. As in GNU's
    /// tools, a single letter (`64M`) means powers of 1024. Returns nil for other text, or if the number exceeds `Int`.
    public static func parse(_ text: String) -> Int? {
        guard let (number, unit) = NumberWithUnit.split(text) else { return nil }
        let factor: Double? =
            switch unit.lowercased() {
            case "", "b": 1
            case "kb": 1e3
            case "mb": 1e6
            case "gb": 1e9
            case "tb": 1e12
            case "k", "kib": 1024
            case "m", "mib": 1_048_576
            case "g", "gib": 1_073_741_824
            case "t", "tib": 1_099_511_627_776
            default: nil
            }
        guard let factor else { return nil }
        return Int(exactly: (number * factor).rounded(.down))
    }

    /// Returns the shortest text that `parse` reads as exactly this size: `200MB`, `1GiB`, `1234`.
    public static func text(_ bytes: Int) -> String {
        ["KB", "KiB", "MB", "MiB", "GB", "GiB", "TB", "TiB"].reversed().lazy.compactMap { unit in
            parse("1\(unit)").flatMap { bytes != 0 && bytes % $0 == 0 ? "\(bytes / $0)\(unit)" : nil }
        }.first ?? "\(bytes)"
    }

    /// Formats a size for people: `512 B`, `1.2 MB` (powers of 1000).
    public static func description(_ bytes: Int) -> String {
        guard bytes.magnitude >= 1000 else { return "\(bytes) B" }
        var value = Double(bytes)
        var unit = 0
        let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
        while value.magnitude >= 999.95, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10)) \(units[unit])"
    }
}

enum NumberWithUnit {
    /// Splits a decimal number, with at most one point, from the unit after it, as in `200MB`.
    static func split(_ text: String) -> (number: Double, unit: Substring)? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard digits.first?.isNumber == true, digits.last?.isNumber == true, digits.count <= 18,
            digits.count(where: { $0 == "." }) <= 1, let number = Double(digits)
        else { return nil }
        return (number, text[digits.endIndex...].drop { $0 == " " })
    }
}
