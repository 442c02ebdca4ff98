import Libc
import Records
import Store
import Support

/// Copies originals into `--output-dir`, under names from a template.
///
/// A copy is a separate file, although it may share blocks with the original, so changing the copy does not change the
/// cache. Keeps an existing file with the same content. Replaces a different file only with `--overwrite`.
public struct OriginalCopies: Sendable {
    private let folder: OutputFolder
    private let overwrites: Bool

    public init(in folder: OutputFolder, overwrites: Bool) {
        self.folder = folder
        self.overwrites = overwrites
    }

    /// Returns the turn of the next record. Must be called in the order of the records.
    public func turn() -> NamingTurn { folder.turn() }

    /// Returns the record with the fields of its picture if an earlier run made a copy that is unchanged. The picture
    /// is then not requested, even if its entry was evicted. Returns nil otherwise, or if `CacheSettings.refreshes` is
    /// set. Throws `OutputFailure.edited` if the copy was changed and may not be replaced, other `OutputFailure`,
    /// `CacheFailure` and `SystemFailure`.
    ///
    /// Does not wait for the record's turn: no earlier record can get the name of a file that exists.
    public func kept(_ record: Record, _ key: CacheKey, in cache: CacheStore) throws -> Record? {
        if cache.settings.refreshes { return nil }
        for copy in try cache.copies.recorded(of: key) {
            guard let note = CopyNote(copy), !note.isOfVariant else { continue }
            var kept = note.kept(record)
            guard let name = try? folder.template.path(for: kept, note.values),
                try folder.absolutePath(name).hasSameBytes(as: copy.path)
            else { continue }
            guard try isKept(copy, as: name, key, in: cache) else { return nil }
            try folder.claim(name, for: copy.sha256)
            kept.setPath("path", copy.path)
            kept.setPath("file", copy.path)
            cache.copies.countKept()
            return kept
        }
        return nil
    }

    private func isKept(_ copy: FileCopy, as name: String, _ key: CacheKey, in cache: CacheStore) throws -> Bool {
        guard let status = try folder.status(name) else { return false }
        if copy.isUnchanged(status) { return true }
        if status.bytes == copy.bytes, let file = try folder.existing(name),
            try BlobStore.sha256(of: file) == copy.sha256
        {
            // Only the time differs: the file was touched, moved, or is on a file system with coarser times.
            var copy = copy
            copy.modified = status.modifiedNanoseconds
            try cache.copies.record([copy], of: key)
            return true
        }
        if overwrites { return false }
        throw OutputFailure.edited(path: folder.shown(name))
    }

    /// Copies a record's original unless the copy exists, adds the copy to the index, and sets the record's field
    /// `file`. Claims names in the order of the records. Throws `TemplateFailure`, `OutputFailure`, `SystemFailure`,
    /// and `CacheFailure.absent` if the entry has been evicted.
    ///
    /// - Parameter cache: the entry's cache, or nil if the policy bypasses the cache.
    public func add(
        _ entry: Entry, to record: inout Record, in cache: CacheStore?, _ turn: NamingTurn?, _ run: WorkContext
    ) throws {
        let values = entry.templateValues
        let name = try folder.template.path(for: record, values)
        // Open the original before the wait, since its lease may expire during the wait.
        let original = try Self.open(entry)
        run.wait { turn?.wait() }
        try folder.claim(name, for: entry.sha256)
        turn?.end()
        try copy(original, of: entry, as: name)
        let path = try folder.absolutePath(name)
        if let cache, let key = try entry.key.map(CacheKey.init(printed:)), let status = try folder.status(name) {
            let note = CopyNote(record, values).text
            let copy = FileCopy(path: path, status: status, sha256: entry.sha256, details: note)
            try cache.copies.record([copy], of: key)
        }
        record.setPath("file", path)
    }

    private static func open(_ entry: Entry) throws -> File {
        do {
            return try File.open(entry.path, O_RDONLY)
        } catch let failure as SystemFailure where failure.isMissing {
            throw CacheFailure.absent(key: entry.key ?? entry.path)
        }
    }

    private func copy(_ original: File, of entry: Entry, as name: String) throws {
        // If another process creates the file between the check and the copy, check again.
        for attempt in 0... {
            let existing = try folder.existing(name)
            if let existing {
                if existing.count == entry.bytes, try BlobStore.sha256(of: existing) == entry.sha256 { return }
                if !overwrites { throw OutputFailure.differs(path: folder.shown(name)) }
            }
            do {
                let file = try folder.begin(name, replaces: existing != nil)
                try file.copy(original)
                return try folder.finish(file)
            } catch let failure as SystemFailure where failure.errno == EEXIST && attempt < 8 {
                continue
            }
        }
    }
}

extension Entry {
    fileprivate var templateValues: [String: String] {
        var values = ["variant": "original", "sha256": sha256]
        values["stem"] = PictureStem.ofCached(url: url, key: key) ?? PictureStem.ofFile(path)
        values["ext"] = path.utf8.lastIndex(of: UInt8(ascii: ".")).map { String(path[$0...].dropFirst()) }
        values["width"] = width.map(String.init)
        values["height"] = height.map(String.init)
        return values
    }
}
