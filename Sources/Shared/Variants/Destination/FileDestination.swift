import Fetch
import Images
import Records
import Store
import Support
import Tools

/// Files under names of the user's choice. Each is written beside its place and moved there when it is whole.
final class FileDestination: Destination {
    /// Whether a file counts as made only when it is on the disk.
    private let synchronizes: Bool
    private let path: (Variant, OutputFormat, Set<String>) throws -> String
    /// Paths that this record has been given and that have no file of it yet: the placeholder of a picture that cannot
    /// be shown may have the picture's name.
    fileprivate var reserved: Set<String> = []

    /// The one file at `path`.
    init(_ path: String, synchronizes: Bool) {
        self.path = { _, _, _ in path }
        self.synchronizes = synchronizes
    }

    /// The files of a folder that are made for one record.
    ///
    /// - Parameter picture: the picture's path, of which names have their stem; nil if there is none.
    init(_ naming: OutputNaming, picture: String?, _ record: Record, synchronizes: Bool) {
        path = { variant, format, reserved in
            try naming.path(
                stem: picture.map(OutputNaming.stem) ?? "placeholder", variant: variant, format: format,
                record: record, isNumbered: picture == nil, own: reserved)
        }
        self.synchronizes = synchronizes
    }

    /// The path of the file. Throws `OutputFailure`, and what `source.format` throws.
    func name(of variant: Variant, from source: some VariantSource) throws -> String {
        try path(variant, source.format(), reserved)
    }

    /// Throws `SystemFailure` (73).
    func open(_ paths: [String], there: (Int, MadeFile) throws -> Void) throws -> [(any Sink)?] {
        reserved.formUnion(paths)
        return try paths.map { FileSink(try OutputFile(path: $0), synchronizes: synchronizes, in: self) }
    }
}

private final class FileSink: Sink {
    private let file: OutputFile
    private let synchronizes: Bool
    private let destination: FileDestination
    private var count = 0

    init(_ file: OutputFile, synchronizes: Bool, in destination: FileDestination) {
        self.file = file
        self.synchronizes = synchronizes
        self.destination = destination
    }

    func write(_ bytes: RawSpan) throws {
        try file.write(bytes)
        count += bytes.byteCount
    }

    func commit(_ picture: FileFacts) throws -> MadeFile {
        try file.commit(synchronized: synchronizes)
        destination.reserved.remove(file.path)
        return MadeFile(path: CacheKey.absolutePath(file.path), bytes: count, picture)
    }
}
