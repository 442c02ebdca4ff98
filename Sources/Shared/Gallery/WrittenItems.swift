import Records
import Store
import Support

/// The items in `records.ndjson`.
struct WrittenItems {
    private(set) var items = GalleryItems()
    private(set) var files = KnownFiles()
    /// The SHA-256 of the file.
    let digest: String

    private static let name = "records.ndjson"
    /// The size of writes to the file, in bytes.
    private static let pieceSize = 256 << 10

    /// Reads the file, and skips invalid records. Returns `known` if it has the same content. Throws `SystemFailure`,
    /// and `ChangedRecords` if another program changes the file at the same time.
    init(in folder: Folder, unless known: WrittenItems? = nil) throws {
        guard let file = try folder.openIfPresent(Self.name) else {
            digest = SHA256.hex(of: [])
            return
        }
        let digest = try BlobStore.sha256(of: file)
        if let known, known.digest == digest {
            self = known
            return
        }
        self.digest = digest
        let reader = RecordReader(continuing: LineReader(file: file))
        while let input = try reader.next() {
            guard case .job(let job) = input, let item = GalleryItem(written: job.record, in: file, at: reader.place)
            else { continue }
            items.add(item)
            files.add(item, job.record)
        }
        // The digest must be the digest of the records that were read.
        let status = try FileStatus(of: file.descriptor, path: file.path)
        guard status.modifiedNanoseconds == file.status.modifiedNanoseconds, status.bytes == file.count else {
            throw ChangedRecords(path: file.path)
        }
    }

    /// Writes the file, unless its content is the same as before, and returns its SHA-256. Reads one record at a time.
    static func write(_ items: [GalleryItem], in folder: Folder, since before: String) throws -> String {
        let file = try OutputFile(in: folder, name: name, replaces: true)
        var hash = SHA256()
        var piece: [UInt8] = []
        func flush() throws {
            piece.withUnsafeBytes { hash.update($0) }
            try file.write(piece.span.bytes)
            piece.removeAll(keepingCapacity: true)
        }
        for item in items {
            piece += try item.written().line
            piece.append(UInt8(ascii: "\n"))
            if piece.count >= pieceSize { try flush() }
        }
        try flush()
        let digest = hash.finish()
        if try digest != before || folder.status(of: name)?.kind != .file { try file.commit() }
        return digest
    }
}
