import CacheTools
import Options
import Records
import Support

extension ToolContext {
    /// The folder of `--output-dir`, which is not made yet; nil without it. Throws `UsageFailure` for options that go
    /// with it alone, and `ConfigurationFailure` for a bad setting.
    ///
    /// - Parameter standard: the template that counts if none is given.
    public func outputFolder(standard: NameTemplate) throws -> OutputFolder? {
        guard let path = arguments[.outputDir] else {
            for option in [.nameTemplate, .overwrite] as [AnyOption] where arguments.isGiven(option) {
                throw UsageFailure("--\(option.name) goes with --output-dir")
            }
            return nil
        }
        return OutputFolder(
            path, template: arguments[.nameTemplate] ?? standard, synchronizes: try value(.sync))
    }

    /// Makes the folder of a file that a command is to write, if it is missing: later, the command may not have the
    /// right. Throws `SystemFailure` (73).
    ///
    /// - Parameter needs: gets the right to write the file.
    public func prepareOutput(_ path: String, _ requirements: inout SandboxRequirements) throws {
        requirements.outputs = [path]
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex,
            path.utf8.index(after: slash) != path.endIndex
        else { return }
        try makeFolder(String(path[..<slash]), synchronized: try value(.sync))
    }

    /// Where copies of originals go, in a folder that is made now if it is missing; nil if none are wanted. Throws as
    /// `outputFolder` does, and `SystemFailure` (73).
    ///
    /// - Parameters:
    ///   - needs: gets the right to write there.
    ///   - stores: whether the command stores entries, which `--sync` concerns as well.
    public func copies(_ requirements: inout SandboxRequirements, stores: Bool = false) throws -> OriginalCopies? {
        guard let folder = try outputFolder(standard: .original) else {
            if arguments[.sync], !stores { throw UsageFailure("--sync goes with --output-dir") }
            return nil
        }
        try folder.make()
        requirements.folders.append(folder.path)
        return OriginalCopies(in: folder, overwrites: arguments[.overwrite])
    }
}
