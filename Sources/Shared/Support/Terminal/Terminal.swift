import Libc

/// Properties of a terminal.
public enum Terminal {
    /// Returns the current number of columns, or 80, as on the VT100, if the terminal does not report it.
    public static func width(of descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Whether the descriptor is a terminal rather than a pipe or a file.
    public static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Whether to use colours and bold text: on a terminal that supports them, or if `CLICOLOR_FORCE` is set, but never
    /// if `NO_COLOR` is set (no-color.org, bixense.com/clicolors).
    public static func hasColour(isTerminal: Bool, environment: Environment) -> Bool {
        if environment["NO_COLOR"] != nil { return false }
        if let force = environment["CLICOLOR_FORCE"], force != "0" { return true }
        return isTerminal && environment["CLICOLOR"] != "0" && (environment["TERM"] ?? "dumb") != "dumb"
    }
}
