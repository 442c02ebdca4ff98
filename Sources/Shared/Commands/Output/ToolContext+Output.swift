import CacheTools
import Options
import Records
import Support

extension ToolContext {
    /// Returns the folder of `--output-dir` without creating it, or nil without this option. Throws `UsageFailure` if
    /// another option requires `--output-dir`.
    ///
    /// - Parameter standard: the default of `--name-template`.
    public func outputFolder(standard: NameTemplate) throws -> OutputFolder? {
        guard let path = arguments[.outputDir] else {
            for option in [.nameTemplate, .overwrite] as [AnyOption] where arguments.isGiven(option) {
                throw UsageFailure("--\(option.name) requires --output-dir")
            }
            return nil
        }
        return OutputFolder(path, template: arguments[.nameTemplate] ?? standard, synchronizes: try value(.sync))
    }

    /// Creates the folder of an output file if it is missing, and allows the file in `requirements`. Call it before
    /// `confine`, which removes the right to create the folder. Throws `SystemFailure` (73).
    public func prepareOutput(_ path: String, _ requirements: inout SandboxRequirements) throws {
        requirements.outputs = [path]
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex,
            path.utf8.index(after: slash) != path.endIndex
        else { return }
        try makeFolder(String(path[..<slash]), synchronized: try value(.sync))
    }

    /// Returns the destination for copies of originals, or nil without `--output-dir`. Creates the folder if it is
    /// missing, and adds it to `requirements`. Throws the errors of `outputFolder`, and `SystemFailure` (73).
    ///
    /// - Parameter stores: whether the command stores entries, so that `--sync` has an effect without copies.
    public func copies(_ requirements: inout SandboxRequirements, stores: Bool = false) throws -> OriginalCopies? {
        guard let folder = try outputFolder(standard: .original) else {
            if arguments[.sync], !stores { throw UsageFailure("--sync requires --output-dir") }
            return nil
        }
        try folder.make()
        requirements.folders.append(folder.path)
        return OriginalCopies(in: folder, overwrites: arguments[.overwrite])
    }

    /// Writes a single report. Throws `SystemFailure`.
    public func report(_ json: JSON, _ text: String) throws {
        try ReportOutput(json: arguments[.json]).write(json, text)
    }

    /// Writes bytes to a file, or to standard output if `path` is nil or `-`. A file is replaced atomically, and synced
    /// with `--sync`. `form` controls escaping on a terminal. Throws `SystemFailure`.
    public func write(_ bytes: [UInt8], to path: String?, as form: TextOutput.Form = .plain) throws {
        guard let path, path != "-" else { return try TextOutput.standard().write(bytes, as: form) }
        let file = try OutputFile(path: path)
        try bytes.withUnsafeBytes { try file.write($0) }
        try file.commit(synchronized: value(.sync))
    }
}
