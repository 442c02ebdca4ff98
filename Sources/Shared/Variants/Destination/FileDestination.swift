import CacheTools
import Fetch
import Records
import Store
import Support

/// A single file that the user named.
struct FileDestination: Destination {
    let path: String
    let synchronizes: Bool

    func name(of variant: Variant, from source: some VariantSource) -> String { path }

    /// Throws `SystemFailure` (73).
    func open(_ paths: [String], there: (Int, MadeFile) throws -> Void) throws -> [(any Sink)?] {
        try paths.map { path in
            let file = try OutputFile(path: path)
            return FileSink(file) {
                try file.commit(synchronized: synchronizes)
                return CacheKey.absolutePath(path)
            }
        }
    }
}

/// Writes the files of a record into a folder. Each file is written under a temporary name and then renamed.
final class FolderDestination: Destination {
    let folder: OutputFolder
    private let record: Record
    private let stem: String?
    /// The names that this record has claimed and whose files are not complete. If the picture fails, its placeholder
    /// may use the same name.
    private var reserved: Set<BinaryText> = []
    /// The values of the template's built-in names, by the name of the variant.
    private(set) var values: [String: [String: String]] = [:]
    private let turn: NamingTurn?
    /// Whether to keep the turn after the next call of `open`, because the record may claim more names.
    private var keepsTurn = false

    /// - Parameter picture: the path of the picture, or nil if there is no picture.
    init(_ folder: OutputFolder, picture: String?, _ record: Record, _ turn: NamingTurn?) {
        self.folder = folder
        self.turn = turn
        self.record = record
        stem = picture.map { PictureStem.ofCached(record) ?? PictureStem.ofFile($0) }
    }

    /// Throws `TemplateFailure` and `OutputFailure`.
    func name(of variant: Variant, from source: some VariantSource) throws -> String {
        var values = ["variant": variant.name, "ext": try source.format(of: variant).fileExtension]
        values["width"] = variant.geometry.box.width.map(String.init)
        values["height"] = variant.geometry.box.height.map(String.init)
        values["sha256"] = record.string("cache.sha256")
        turn?.wait()
        keepsTurn = variant.name == Variant.thumbnailName || source is PlaceholderSource
        var number = 1
        while true {
            // If another record has claimed the name of a placeholder, append a number.
            values["stem"] = stem ?? (number == 1 ? "placeholder" : "placeholder-\(number)")
            let name = try folder.template.path(for: record, values)
            do {
                try folder.claim(name, own: reserved)
                self.values[variant.name] = values
                return name
            } catch {
                guard stem == nil, folder.template.has("stem"), number < 1_000_000 else { throw error }
                number += 1
            }
        }
    }

    /// Throws `SystemFailure` (73), `OutputFailure.link`.
    func open(_ names: [String], there: (Int, MadeFile) throws -> Void) throws -> [(any Sink)?] {
        reserved.formUnion(names.map { BinaryText($0) })
        if !keepsTurn { turn?.end() }
        return try names.map { name in
            let file = try folder.begin(name, replaces: true)
            return FileSink(file) { [self] in
                try folder.finish(file)
                reserved.remove(BinaryText(name))
                return file.path
            }
        }
    }
}

struct StandardOutput: Destination {
    /// Whether to write nothing until the file is complete, so that a placeholder can replace a failed picture.
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

/// Writes a file and counts its bytes.
final class FileSink: Sink {
    private let sink: any ByteSink
    private let finish: () throws -> String
    private var count = 0

    /// - Parameter finish: moves the complete file to its final path, and returns that path.
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
