import CSystem

/// The arguments of this program.
public enum ProgramArguments {
    /// Returns the arguments after the program's name, converted by `String(pathBytes:)`.
    ///
    /// Uses the arguments that some C libraries pass to constructors. On Linux, `CommandLine` searches the
    /// stack by means of `/proc/self`, which takes time, and fails in a process started by a confined process.
    public static func ofProcess() -> [String] { Array(words().dropFirst()) }

    /// Returns the name that started this program, without its folder; an empty text if it is unknown.
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
