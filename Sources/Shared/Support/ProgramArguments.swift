import CSystem

/// What this program was started with.
public enum ProgramArguments {
    /// Returns the words behind the program's name.
    ///
    /// On Linux, `CommandLine` looks for them in `/proc/self`, which costs time and is closed to a process that was
    /// started by a confined one.
    public static func ofProcess() -> [String] {
        let count = csystem_argument_count()
        if count == 0 { return Array(CommandLine.arguments.dropFirst()) }
        return (1..<max(count, 1)).map { String(cString: csystem_argument($0)) }
    }
}
