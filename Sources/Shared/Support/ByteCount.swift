/// Sizes as people write them.
public enum ByteCount {
    /// The number of bytes that `text` says: `4096`, `200MB` (10⁶), `64MiB` (2²⁰), `1.5GB`. As with GNU's tools a
    /// single letter (`64M`) counts by 1024. Upper and lower case are the same. Nil for anything else, and for what
    /// does not fit.
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

    /// A figure for people: `512 B`, `1.2 MB` (powers of 1000).
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

/// Spans of time as people write them.
public enum TimeSpan {
    /// The span that `text` says: `90s`, `14d`, `1.5h`, `250ms`, `1h30m`; without a unit seconds. Nil for anything
    /// else, a negative span among it, and for more than 10,000 years.
    public static func parse(_ text: String) -> Duration? {
        var rest = Substring(text)
        var milliseconds = 0.0
        repeat {
            let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            let unit = rest[digits.endIndex...].prefix { $0.isASCII && $0.isLetter }
            guard let (number, _) = NumberWithUnit.split(String(digits)) else { return nil }
            let factor: Double? =
                switch unit {
                case "": digits.endIndex == text.endIndex && digits.startIndex == text.startIndex ? 1e3 : nil
                case "ms": 1
                case "s": 1e3
                case "m", "min": 60e3
                case "h": 3600e3
                case "d": 86_400e3
                case "w": 604_800e3
                default: nil
                }
            guard let factor else { return nil }
            milliseconds += number * factor
            rest = rest[unit.endIndex...]
        } while !rest.isEmpty
        guard milliseconds <= 3.2e14 else { return nil }
        return .milliseconds(Int64(milliseconds.rounded()))
    }

    /// A span for people in its largest unit, rounded down: `45s`, `12m`, `7h`, `13d`; `-` before one that is over.
    public static func description(_ span: Duration) -> String {
        let seconds = span.milliseconds / 1000
        let sign = seconds < 0 ? "-" : ""
        return switch seconds.magnitude {
        case 0..<60: "\(sign)\(seconds.magnitude)s"
        case 60..<3600: "\(sign)\(seconds.magnitude / 60)m"
        case 3600..<86_400: "\(sign)\(seconds.magnitude / 3600)h"
        default: "\(sign)\(seconds.magnitude / 86_400)d"
        }
    }
}

enum NumberWithUnit {
    /// Parts a decimal number, at most one point in it, from the letters behind it.
    static func split(_ text: String) -> (number: Double, unit: Substring)? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard digits.first?.isNumber == true, digits.last?.isNumber == true, digits.count <= 18,
            digits.count(where: { $0 == "." }) <= 1, let number = Double(digits)
        else { return nil }
        return (number, text[digits.endIndex...].drop { $0 == " " })
    }
}
