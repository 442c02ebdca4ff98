import Libc
import Records
import Store
import Support

/// Puts copies of originals into a folder, under names of the user's choice.
///
/// A copy is a file of its own, also where it shares its blocks with the original, so that the cache does not change
/// with it. One that is there already is left as it is, and a file with other content is not replaced unless that is
/// wished.
public struct OriginalCopies: Sendable {
    private let folder: OutputFolder
    private let overwrites: Bool

    public init(in folder: OutputFolder, overwrites: Bool) {
        self.folder = folder
        self.overwrites = overwrites
    }

    /// Returns the turn of the next record. To be called in the order of the records.
    public func turn() -> NamingTurn { folder.turn() }

    /// Sets the field `file` of a record to the path of a copy of its original, which is made if it is missing. The name
    /// is taken in the record's turn. Throws `TemplateFailure`, `OutputFailure`, `SystemFailure`.
    public func add(_ entry: Entry, to record: inout Record, _ turn: NamingTurn?) throws {
        let name = try folder.template.path(for: record, entry.templateValues)
        turn?.wait()
        try folder.claim(name, for: entry.sha256)
        turn?.end()
        try copy(entry, as: name)
        record.setPath("file", try folder.absolutePath(name))
    }

    private func copy(_ entry: Entry, as name: String) throws {
        // A file may come between the look and the copy; it is looked at then.
        for attempt in 0... {
            let existing = try folder.existing(name)
            if let existing {
                if try Self.isCopy(existing, of: entry) { return }
                if !overwrites { throw OutputFailure.differs(path: folder.shown(name)) }
            }
            do {
                let file = try folder.begin(name, replaces: existing != nil)
                try file.copy(File.open(entry.path, O_RDONLY))
                return try folder.finish(file)
            } catch let failure as SystemFailure where failure.errno == EEXIST && attempt < 8 {
                continue
            }
        }
    }

    private static func isCopy(_ file: File, of entry: Entry) throws -> Bool {
        guard file.count == entry.bytes else { return false }
        return try BlobStore.sha256(of: file) == entry.sha256
    }
}

extension Entry {
    /// What a template's own names stand for.
    fileprivate var templateValues: [String: String] {
        var values = ["variant": "original", "sha256": sha256]
        values["stem"] = PictureStem.ofCached(url: url, key: key) ?? PictureStem.ofFile(path)
        values["ext"] = path.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(path[$0...].dropFirst()) }
        values["width"] = width.map(String.init)
        values["height"] = height.map(String.init)
        return values
    }
}
