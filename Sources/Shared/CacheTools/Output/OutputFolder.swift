import Libc
import Records
import Support

/// A folder that a user named for the files of a run, and how they are named there.
///
/// Nothing is written outside of it: names come from a `NameTemplate`, and no link below the folder is followed.
public final class OutputFolder: Sendable {
    /// As the user wrote it.
    public let path: String
    public let template: NameTemplate
    /// Whether a file counts as made only when it is on the disk.
    private let synchronizes: Bool
    /// The names given out in this run, each with what it was given out for, so that none is given out for two things.
    private let taken = Monitor<[BinaryText: String]>([:])
    private let turns = NamingTurns()
    /// The folder, once it was used.
    private let opened = Monitor<Folder?>(nil)

    /// - Parameter path: that of a folder, which need not exist before a file is made in it.
    public init(_ path: String, template: NameTemplate, synchronizes: Bool = false) {
        self.path = path
        self.template = template
        self.synchronizes = synchronizes
    }

    /// Makes the folder if it is missing. Throws `SystemFailure` (73).
    public func make() throws { try makeFolder(path, synchronized: synchronizes) }

    /// Returns the turn of the next record to claim names. To be called in the order of the records.
    public func turn() -> NamingTurn { turns.next() }

    /// Gives out a name, as long as it was given out for nothing else in this run. Throws `OutputFailure.taken`.
    ///
    /// - Parameters:
    ///   - content: for what: two of the same content are one file.
    ///   - own: names that the caller was given before, and may have again.
    public func claim(_ name: String, for content: String? = nil, own: Set<BinaryText> = []) throws(OutputFailure) {
        if own.contains(BinaryText(name)) { return }
        let isFree = taken.withLock { taken in
            if let known = taken[BinaryText(name)] { return content.map(known.hasSameBytes) ?? false }
            taken[BinaryText(name)] = content ?? ""
            return true
        }
        if !isFree { throw .taken(path: shown(name)) }
    }

    /// The path of a name, as the user sees it.
    public func shown(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

    /// The absolute path of a name. Throws `SystemFailure` if the folder cannot be opened.
    public func absolutePath(_ name: String) throws -> String { try folder().path(of: name) }

    /// The absolute path of the folder. Throws `SystemFailure` if it cannot be opened.
    public func absolutePath() throws -> String { try folder().path }

    /// Begins the file of a name, and makes the folders on the way. Throws `SystemFailure` (73), and
    /// `OutputFailure.link` if a link is in the way.
    ///
    /// - Parameter replaces: see `OutputFile`.
    public func begin(_ name: String, replaces: Bool) throws -> OutputFile {
        try withParent(of: name) { try OutputFile(in: $0, name: $1, replaces: replaces) }
    }

    /// Opens the file that has a name already; nil if there is none. Throws `SystemFailure`, and `OutputFailure.link` if
    /// something else than a file is there or on the way.
    public func existing(_ name: String) throws -> File? {
        try naming(name) {
            do {
                return try folder().open(name, O_RDONLY, purpose: .makeOutput)
            } catch let failure as SystemFailure where failure.isMissing {
                return nil
            }
        }
    }

    /// The status of the file of a name; nil if there is none. Throws `SystemFailure`, and `OutputFailure.link` if a
    /// link is on the way.
    public func status(_ name: String) throws -> FileStatus? { try naming(name) { try folder().status(of: name) } }

    /// Puts a file that was begun in its place. Throws `SystemFailure` (73).
    public func finish(_ file: OutputFile) throws { try file.commit(synchronized: synchronizes) }

    private func folder() throws -> Folder {
        try opened.withLock { opened throws in
            if let opened { return opened }
            let folder = try Folder(path)
            opened = folder
            return folder
        }
    }

    private func withParent<Result>(of name: String, _ body: (Folder, String) throws -> Result) throws -> Result {
        let folder = try folder()
        return try naming(name) {
            guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) else { return try body(folder, name) }
            let parent = String(name[..<slash])
            try folder.makeFolder(parent, mode: 0o777)
            return try body(folder.folder(parent), String(name[name.utf8.index(after: slash)...]))
        }
    }

    private func naming<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch is UnsafePlace {
            throw OutputFailure.link(path: shown(name))
        }
    }
}

/// A file that cannot be placed under the name that a template gives.
public enum OutputFailure: Failure, Equatable {
    /// This run has given the name to another picture.
    case taken(path: String)
    /// There is a file with other content, which this run has not made.
    case differs(path: String)
    /// The file is the copy of an earlier run, and was changed since.
    case edited(path: String)
    /// There is a link at the place or on the way to it, or something that is no file.
    case link(path: String)

    public var code: String {
        switch self {
        case .taken, .differs, .edited: "output-collision"
        case .link: "unsafe-output"
        }
    }

    public var message: String {
        switch self {
        case .taken(let path): "two pictures of this run would be written to \(path); use another --name-template"
        case .differs(let path):
            "\(path) is there already, and is another file; remove it, use another --name-template, or replace it with"
                + " --overwrite"
        case .edited(let path):
            "\(path) was changed since it was copied, and is left alone; replace it with --overwrite"
        case .link(let path): "\(path) is not written, as a link is in the way or something that is no file; remove it"
        }
    }

    public var exitCode: ExitCode { .cannotCreate }
}
