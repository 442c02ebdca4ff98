import Libc

/// The terminal that somebody may sit at.
public enum Terminal {
    /// How many columns the terminal at `descriptor` has at this moment; 80 where it does not say, as terminals have
    /// had since the VT100.
    public static func width(of descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Whether somebody reads what is written to `descriptor`, rather than a program or a file.
    public static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Whether colours and bold letters are wanted: on a terminal that has them, or wherever they are forced; a wish for
    /// none goes first (no-color.org, bixense.com/clicolors).
    public static func hasColour(isTerminal: Bool, environment: Environment) -> Bool {
        if environment["NO_COLOR"] != nil { return false }
        if let force = environment["CLICOLOR_FORCE"], force != "0" { return true }
        return isTerminal && environment["CLICOLOR"] != "0" && (environment["TERM"] ?? "dumb") != "dumb"
    }
}
