import Fetch
import Store
import Support
import Tools

/// Standard output, for the bytes of one file.
struct StandardOutput: Destination {
    /// Whether nothing is written before the file is whole, so that a placeholder may follow one that fails.
    let holds: Bool

    func name(of variant: Variant, from source: some VariantSource) -> String { "standard output" }

    /// Throws `SystemFailure` if standard output is closed.
    func open(_ names: [String], there: (Int, MadeFile) throws -> Void) throws -> [(any Sink)?] {
        try names.map { StreamSink(try File(descriptor: 1, path: $0, closes: false), holds: holds) }
    }
}

private final class StreamSink: Sink {
    private let file: File
    private let held: MemorySink?
    private var count = 0

    init(_ file: File, holds: Bool) {
        self.file = file
        held = holds ? MemorySink() : nil
    }

    func write(_ bytes: RawSpan) throws {
        count += bytes.byteCount
        if let held { held.write(bytes) } else { try file.write(bytes) }
    }

    func commit(_ picture: FileFacts) throws -> MadeFile {
        if let held { try file.write(held.bytes) }
        return MadeFile(path: file.path, bytes: count, picture)
    }
}
