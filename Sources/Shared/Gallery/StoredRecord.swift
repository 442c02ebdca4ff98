import Libc
import Records
import Support

/// A public record of a gallery in a file, which is read each time it is needed. A gallery of 100,000 pictures with long
/// texts has more than 100 MB of records.
struct StoredRecord: Sendable, Equatable {
    private let file: File
    private let place: Range<Int>
    /// A hash of the record, which is different in each process.
    private let hash: Int

    /// - Parameter place: the position of the record in the file.
    init(_ record: Record, in file: File, at place: Range<Int>) {
        (self.file, self.place) = (file, place)
        hash = Self.hash(of: record)
    }

    /// Returns whether both are the same place in the same file.
    static func == (a: StoredRecord, b: StoredRecord) -> Bool { a.file === b.file && a.place == b.place }

    private static func hash(of record: Record) -> Int {
        var hasher = Hasher()
        record.line.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    /// Reads the record without its field `gallery`. Throws `ChangedRecords` if another program has changed the file.
    func read() throws -> Record {
        var bytes = [UInt8](repeating: 0, count: place.count)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: place.lowerBound) }
        guard count == bytes.count, var record = try? Record(parsing: bytes), Self.hash(of: record) == hash else {
            throw ChangedRecords(path: file.path)
        }
        record.remove("gallery")
        return record
    }
}

/// A file without a name that keeps the records of a run until the run writes the gallery.
final class RecordSpool: Sendable {
    private let file: File
    private let end = Monitor(0)

    /// - Parameter folder: the folder in whose file system the file is stored.
    init(in folder: Folder) throws {
        let name = OutputFile.temporaryName()
        file = try folder.open(name, O_RDWR | O_CREAT | O_EXCL, purpose: .makeOutput)
        folder.remove(name)
    }

    /// Adds a record.
    func add(_ record: Record) throws -> StoredRecord {
        try end.withLock { end in
            try file.write(record.line)
            let place = end..<end + record.line.count
            end = place.upperBound
            return StoredRecord(record, in: file, at: place)
        }
    }
}

/// The failure if another program changes the records of a gallery during a run.
struct ChangedRecords: Failure {
    let path: String

    var code: String { "records-changed" }
    var message: String { "another program changed \(path) during the run; run the command again" }
    var exitCode: ExitCode { .temporary }
}
