/// Parses and formats durations.
public enum TimeSpan {
    /// Parses `90s`, `14d`, `1.5h`, `250ms`, `1h30m`, or seconds without a unit. Returns nil for other text, including
    /// a negative number, and for more than 10,000 years.
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

    /// Returns the text that `parse` reads as exactly this duration, in whole milliseconds: `14d`, `90s`, `250ms`.
    public static func text(_ span: Duration) -> String {
        let milliseconds = span.milliseconds
        let units: [(Int64, String)] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")]
        let unit = units.first { milliseconds % $0.0 == 0 && milliseconds != 0 } ?? (1, "ms")
        return "\(milliseconds / unit.0)\(unit.1)"
    }

    /// Formats a duration in its largest unit, rounded down: `45s`, `12m`, `7h`, `13d`; a negative duration has a `-`.
    public static func description(_ span: Duration) -> String {
        let seconds = span.milliseconds / 1000
        return switch seconds.magnitude {
        case 0..<60: "\(seconds)s"
        case 60..<3600: "\(seconds / 60)m"
        case 3600..<86_400: "\(seconds / 3600)h"
        default: "\(seconds / 86_400)d"
        }
    }
}
