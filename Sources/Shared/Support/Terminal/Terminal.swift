import Libc

/// Properties of a terminal.
public enum Terminal {
    /// Returns the current number of columns, or 80 if the terminal does not report it, as on terminals since the
    /// VT100.
    public static func width(of descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Whether the output is for a person rather than a program or a file.
    public static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Whether to use colours and bold letters: on a terminal that has them, or if they are forced, but not if they are
    /// disabled (no-color.org, bixense.com/clicolors).
    public static func hasColour(isTerminal: Bool, environment: Environment) -> Bool {
        if environment["NO_COLOR"] != nil { return false }
        if let force = environment["CLICOLOR_FORCE"], force != "0" { return true }
        return isTerminal && environment["CLICOLOR"] != "0" && (environment["TERM"] ?? "dumb") != "dumb"
    }
}
