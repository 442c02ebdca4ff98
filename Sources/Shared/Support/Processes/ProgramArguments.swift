import CSystem

/// What this program was started with.
public enum ProgramArguments {
    /// Returns the words behind the program's name, each byte for byte, as a path's text (`String(pathBytes:)`).
    ///
    /// On Linux, `CommandLine` searches the stack for them with the help of `/proc/self`, which costs time and is closed
    /// to a process that was started by a confined one. So they are those that the C library hands to constructors, if
    /// it does that: they stay where they are, whatever a library has done to the environment before `main`.
    public static func ofProcess() -> [String] {
        let count = Int(csystem_argument_count())
        if count > 0 { return (1..<count).map { String(pathPointer: csystem_argument(Int32($0))) } }
        let words = CommandLine.unsafeArgv
        return (1..<max(Int(CommandLine.argc), 1)).compactMap { words[$0].map { String(pathPointer: $0) } }
    }
}
