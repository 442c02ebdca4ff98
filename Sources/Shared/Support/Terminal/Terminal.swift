import Libc

/// What a terminal is like.
public enum Terminal {
    /// How many columns the terminal at `descriptor` has at the moment; 80 if it does not say, as terminals have had
    /// since the VT100.
    public static func width(of descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Whether a person reads what is written to `descriptor`, rather than a program or a file.
    public static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Whether to use colours and bold letters: on a terminal that has them, or if they are forced; but not if they are
    /// refused (no-color.org, bixense.com/clicolors).
    public static func hasColour(isTerminal: Bool, environment: Environment) -> Bool {
        if environment["NO_COLOR"] != nil { return false }
        if let force = environment["CLICOLOR_FORCE"], force != "0" { return true }
        return isTerminal && environment["CLICOLOR"] != "0" && (environment["TERM"] ?? "dumb") != "dumb"
    }
}
