import Libc
import Records
import Support

/// A folder for output files, such as `--output-dir`, and the template of their names.
///
/// No file is written outside the folder: names come from a `NameTemplate`, and links below the folder are not
/// followed.
public final class OutputFolder: Sendable {
    /// The path as the user wrote it.
    public let path: String
    public let template: NameTemplate
    private let synchronizes: Bool
    /// The names that this run has claimed, each with the identity of its content, such as a hash. Two different
    /// contents never get the same name.
    private let taken = Monitor<[BinaryText: String]>([:])
    private let turns = NamingTurns()
    private let opened = Monitor<Folder?>(nil)

    /// - Parameter path: the path of the folder, which need not exist: see `make`.
    public init(_ path: String, template: NameTemplate, synchronizes: Bool = false) {
        self.path = path
        self.template = template
        self.synchronizes = synchronizes
    }

    /// Creates the folder if it is missing. Throws `SystemFailure` (73).
    public func make() throws { try makeFolder(path, synchronized: synchronizes) }

    /// Returns the turn of the next record to claim names. Must be called in the order of the records.
    public func turn() -> NamingTurn { turns.next() }

    /// Claims a name for this run. Throws `OutputFailure.taken` if the name is already claimed for other content.
    ///
    /// - Parameters:
    ///   - content: the identity of the content, such as a hash. Equal contents may share a name.
    ///   - own: names that the caller has claimed already.
    public func claim(_ name: String, for content: String? = nil, own: Set<BinaryText> = []) throws(OutputFailure) {
        if own.contains(BinaryText(name)) { return }
        let isFree = taken.withLock { taken in
            if let known = taken[BinaryText(name)] { return content.map(known.hasSameBytes) ?? false }
            taken[BinaryText(name)] = content ?? ""
            return true
        }
        if !isFree { throw .taken(path: shown(name)) }
    }

    /// Returns the path of a name for messages. The path begins with the folder as the user wrote it.
    public func shown(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

    /// Returns the absolute path of a name. Throws `SystemFailure` if the folder cannot be opened.
    public func absolutePath(_ name: String) throws -> String { try folder().path(of: name) }

    /// Returns the absolute path of the folder. Throws `SystemFailure` if it cannot be opened.
    public func absolutePath() throws -> String { try folder().path }

    /// Starts to write a file, and creates its parent folders. Throws `SystemFailure` (73), and `OutputFailure.link` if
    /// the path contains a link.
    public func begin(_ name: String, replaces: Bool) throws -> OutputFile {
        let folder = try folder()
        return try naming(name) {
            guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) else {
                return try OutputFile(in: folder, name: name, replaces: replaces)
            }
            let parent = String(name[..<slash])
            try folder.makeFolder(parent, mode: 0o777)
            return try OutputFile(
                in: folder.folder(parent), name: String(name[name.utf8.index(after: slash)...]), replaces: replaces)
        }
    }

    /// Opens an existing file, or returns nil if there is none. Throws `SystemFailure`, and `OutputFailure.link` if the
    /// path contains a link or names something other than a regular file.
    public func existing(_ name: String) throws -> File? {
        try naming(name) {
            do {
                return try folder().open(name, O_RDONLY, purpose: .makeOutput)
            } catch let failure as SystemFailure where failure.isMissing {
                return nil
            }
        }
    }

    /// Returns the status of a file, or of a link with this name. Returns nil if there is none, or if a folder in the
    /// path is a link. Throws `SystemFailure`.
    public func status(_ name: String) throws -> FileStatus? { try naming(name) { try folder().status(of: name) } }

    /// Renames a completed file to its final name. Throws `SystemFailure` (73).
    public func finish(_ file: OutputFile) throws { try file.commit(synchronized: synchronizes) }

    private func folder() throws -> Folder {
        try opened.withLock { opened throws in
            if let opened { return opened }
            let folder = try Folder(path)
            opened = folder
            return folder
        }
    }

    private func naming<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch is UnsafePath {
            throw OutputFailure.link(path: shown(name))
        }
    }
}

/// The reason why a file cannot be written under its name.
public enum OutputFailure: Failure, Equatable {
    /// This run has used the name for another picture.
    case taken(path: String)
    /// A file with other content exists, which this run did not write.
    case differs(path: String)
    /// The copy of an earlier run was changed.
    case edited(path: String)
    /// The path contains a link, or names something other than a regular file.
    case link(path: String)

    public var code: String {
        switch self {
        case .taken, .differs, .edited: "output-collision"
        case .link: "unsafe-output"
        }
    }

    public var message: String {
        switch self {
        case .taken(let path): "another picture of this run has the name \(path); use another --name-template"
        case .differs(let path):
            "\(path) already exists and is a different file; move it, use another --name-template, or replace it with"
                + " --overwrite"
        case .edited(let path):
            "\(path) was modified after it was copied, and is kept; use --overwrite to replace it"
        case .link(let path): "\(path) is a link or not a regular file; move it, or use another --name-template"
        }
    }

    public var exitCode: ExitCode { .cannotCreate }
}
