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
    private var reserved: Set<String> = []

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
        return try paths.map { path in
            let file = try OutputFile(path: path)
            return FileSink(file) { [self] in
                try file.commit(synchronized: synchronizes)
                reserved.remove(path)
                return CacheKey.absolutePath(path)
            }
        }
    }
}

/// Standard output, for the bytes of one file.
struct StandardOutput: Destination {
    /// Whether nothing is written before the file is whole, so that a placeholder may follow one that fails.
    let holds: Bool

    func name(of variant: Variant, from source: some VariantSource) -> String { "standard output" }

    /// Throws `SystemFailure` if standard output is closed.
    func open(_ names: [String], there: (Int, MadeFile) throws -> Void) throws -> [(any Sink)?] {
        try names.map { name in
            let file = try File(descriptor: 1, path: name, closes: false)
            let held = holds ? MemorySink() : nil
            return FileSink(held ?? file) {
                if let held { try file.write(held.bytes) }
                return name
            }
        }
    }
}

/// Counts the bytes of a file.
private final class FileSink: Sink {
    private let sink: any ByteSink
    private let finish: () throws -> String
    private var count = 0

    /// - Parameter finish: puts the file in its place, and gives its path.
    init(_ sink: any ByteSink, finish: @escaping () throws -> String) {
        self.sink = sink
        self.finish = finish
    }

    func write(_ bytes: RawSpan) throws {
        try sink.write(bytes)
        count += bytes.byteCount
    }

    func commit(_ picture: FileFacts) throws -> MadeFile {
        MadeFile(path: try finish(), bytes: count, picture)
    }
}
