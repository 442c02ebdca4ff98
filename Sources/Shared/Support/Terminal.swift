#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The terminal that somebody may sit at.
public enum Terminal {
    /// How many columns the terminal at `descriptor` has: what it says itself, else the environment's `COLUMNS`, else
    /// 80, as terminals have had since the VT100. Never less than 20.
    public static func columns(of descriptor: Int32, environment: Environment) -> Int {
        var size = winsize()
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return max(20, Int(size.ws_col)) }
        return max(20, environment["COLUMNS"].flatMap { Int($0) } ?? 80)
    }

    /// Whether somebody reads what is written to `descriptor`, rather than a program or a file.
    public static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }
}

extension TerminalText {
    /// How many columns the text takes. Letters of East Asia and pictures take two (UAX #11, as far as its wide blocks
    /// go), marks that lie on other letters none.
    public static func columns(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + columns($1) } }

    /// The beginning of the text that fits into so many columns, with `…` where something is left out.
    public static func shortened(_ text: String, to limit: Int) -> String {
        if columns(text) <= limit { return text }
        var result = ""
        var room = limit - 1
        for scalar in text.unicodeScalars {
            room -= columns(scalar)
            if room < 0 { break }
            result.unicodeScalars.append(scalar)
        }
        return limit > 0 ? result + "…" : ""
    }

    private static func columns(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0..<0x300: 1
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            2
        case _ where scalar.properties.generalCategory == .nonspacingMark
            || scalar.properties.generalCategory == .enclosingMark:
            0
        default: 1
        }
    }
}
