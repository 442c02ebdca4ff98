import CSystem

/// The arguments of this program.
public enum ProgramArguments {
    /// Returns the words after the program's name, each byte for byte, as a path's text (`String(pathBytes:)`).
    ///
    /// On Linux, `CommandLine` searches the stack for them with the help of `/proc/self`, which takes time and is not
    /// possible in a process that was started by a confined one. So this uses those that the C library passes to
    /// constructors, if it does that: they stay in place, whatever a library has done to the environment before `main`.
    public static func ofProcess() -> [String] {
        Array(words().dropFirst())
    }

    /// The name by which this program was started, without the folder; empty if there was none.
    public static func programName() -> String {
        let text = words().first ?? ""
        return text.lastIndex(of: "/").map { String(text[text.index(after: $0)...]) } ?? text
    }

    private static func words() -> [String] {
        let count = Int(csystem_argument_count())
        if count > 0 { return (0..<count).map { String(pathPointer: csystem_argument(Int32($0))) } }
        let words = CommandLine.unsafeArgv
        return (0..<Int(CommandLine.argc)).compactMap { words[$0].map { String(pathPointer: $0) } }
    }
}
