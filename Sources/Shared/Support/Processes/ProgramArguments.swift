import CSystem

/// The arguments of this program.
public enum ProgramArguments {
    /// Returns the words after the program's name, each byte for byte, as a path's text (`String(pathBytes:)`).
    ///
    /// On Linux, `CommandLine` searches the stack for them with the help of `/proc/self`, which takes time and is not
    /// possible in a process that was started by a confined one. So this uses those that the C library passes to
    /// constructors, if it does that: they stay in place, whatever a library has done to the environment before `main`.
    public static func ofProcess() -> [String] {
        let count = Int(csystem_argument_count())
        if count > 0 { return (1..<count).map { String(pathPointer: csystem_argument(Int32($0))) } }
        let words = CommandLine.unsafeArgv
        return (1..<max(Int(CommandLine.argc), 1)).compactMap { words[$0].map { String(pathPointer: $0) } }
    }

    /// The name by which this program was started, without the folder; empty if there was none.
    public static func programName() -> String {
        let kept = csystem_argument_count() > 0 ? csystem_argument(0) : nil
        let text = (kept ?? CommandLine.unsafeArgv[0].map { UnsafePointer($0) }).map { String(pathPointer: $0) } ?? ""
        return text.lastIndex(of: "/").map { String(text[text.index(after: $0)...]) } ?? text
    }
}
