import CSystem

/// The arguments of this program.
public enum ProgramArguments {
    /// Returns the arguments after the program's name, byte for byte, as texts of paths (`String(pathBytes:)`).
    ///
    /// On Linux, `CommandLine` searches the stack for them by means of `/proc/self`, which takes time and is impossible
    /// in a process started by a confined process. So this uses the arguments that the C library passes to
    /// constructors, if it does: they stay in place even if a library changes the environment before `main`.
    public static func ofProcess() -> [String] {
        Array(words().dropFirst())
    }

    /// Returns the name that started this program, without its folder, or an empty text.
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
