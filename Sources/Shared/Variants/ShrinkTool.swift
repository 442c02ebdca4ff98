import Cache
import Formats
import Images
import Records
import Support

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Makes variants of each record's picture: the work of `img-downsample`.
public struct ShrinkTool: RecordTool {
    /// Where variants go.
    public enum Destination: Sendable {
        /// Into the cache, beside their original.
        case cache(ScopedCaches)
        /// Into a folder.
        case folder(OutputNaming)
    }

    public let name = "img-downsample"
    private let variants: [Variant]
    private let maker: VariantMaker
    private let destination: Destination
    private let emitsEach: Bool

    /// - Parameters:
    ///   - variants: at least one, no two of one name.
    ///   - emitsEach: whether a record leaves each time that one of its variants is done.
    public init(variants: [Variant], maker: VariantMaker, destination: Destination, emitsEach: Bool = false) {
        self.variants = variants
        self.maker = maker
        self.destination = destination
        self.emitsEach = emitsEach
    }

    /// A record without a picture passes.
    public func accepts(_ job: RecordJob) -> Bool { job.argument != nil || job.record.string("path") != nil }

    public func process(_ record: inout Record, argument: String?, emit: (Record) -> Void) throws {
        guard let path = argument ?? record.string("path") else { return }
        var result = record
        // Each variant that is done stays in the record, also where a later one fails.
        defer { record = result }
        if argument != nil { result.set("path", .string(try Self.absolute(path))) }
        let given = result
        var made = given.raw("variants").flatMap { try? Record(parsing: $0) } ?? Record()
        var left = variants.count
        try withoutActuallyEscaping(emit) { emit in
            try make(path, given) { variant, field in
                made.set(variant.name, field)
                result.set("variants", .raw(made.line))
                left -= 1
                if emitsEach && left > 0 { emit(result) }
            }
        }
    }

    /// Makes all variants of the picture at `path`; `ready` is told each with its field.
    private func make(_ path: String, _ record: Record, ready: @escaping (Variant, JSON) -> Void) throws {
        switch destination {
        case .cache(let caches):
            let cache = try caches.cache(scope: record.string("cache.scope"))
            try makeCached(path, record, in: cache, ready: ready)
        case .folder(let naming):
            try makeFiles(path, record, naming, ready: ready)
        }
    }

    // MARK: Into the cache

    private func makeCached(
        _ path: String, _ record: Record, in cache: ImageCache, ready: @escaping (Variant, JSON) -> Void
    ) throws {
        let parent = try original(path, record, in: cache)
        // Variants of other names can be the same picture.
        let keys = variants.map(maker.key)
        let distinct = keys.indices.filter { keys.firstIndex(of: keys[$0]) == $0 }
        try cache.variants(of: parent, options: distinct.map { keys[$0] }) { index, entry, isMade in
            for place in keys.indices where keys[place] == keys[distinct[index]] {
                ready(variants[place], Self.field(entry, isMade: isMade))
            }
        } make: { original, missing, done in
            try named(path) {
                let source = try File.openInput(original.path)
                let requests = try missing.map { index, target in
                    let output = try File.open(target, O_WRONLY | O_CREAT | O_EXCL)
                    return VariantMaker.Request(variants[distinct[index]]) { try output.write($0) }
                }
                try maker.make(source, inspect(source, limits: maker.options.limits), requests) { place, result in
                    try done(
                        missing[place].index,
                        InspectedPicture(
                            contentType: result.format.contentType, fileExtension: result.format.fileExtension,
                            width: result.size.width, height: result.size.height,
                            details: Self.facts(result)))
                }
            }
        }
    }

    private static func field(_ entry: Entry, isMade: Bool) -> JSON {
        var field = Record()
        field.set("path", .string(entry.path))
        if let width = entry.width { field.set("width", .integer(width)) }
        if let height = entry.height { field.set("height", .integer(height)) }
        field.set("bytes", .integer(entry.bytes))
        field.set("format", .string(String(entry.contentType.drop { $0 != "/" }.dropFirst())))
        field.set("status", .string(isMade ? "made" : "hit"))
        add(entry.details, to: &field)
        return .raw(field.line)
    }

    /// Adds what is kept as an object's text.
    private static func add(_ facts: String?, to field: inout Record) {
        guard let facts, let record = try? Record(parsing: Array(facts.utf8)) else { return }
        for name in record.names {
            if let path = FieldPath(name), let raw = record.raw(path) { field.set(name, .raw(Array(raw))) }
        }
    }

    /// What there is to say of a variant beside its size, as an object's text; nil for nothing.
    private static func facts(_ result: ShrinkResult) -> String? {
        var facts = Record()
        if let frames = result.frames {
            facts.set("frames", .integer(frames.output))
            facts.set("source_frames", .integer(frames.source))
        }
        if result.isTruncated { facts.set("truncated", .bool(true)) }
        if let hash = result.hash {
            facts.set("dominant_colour", .string(hash.dominantColour))
            facts.set("thumbhash", .string(hash.thumbHash))
        }
        return facts.isEmpty ? nil : String(decoding: facts.line, as: UTF8.self)
    }

    /// The key of the picture's original in the cache. A file that is not there is put there first.
    private func original(_ path: String, _ record: Record, in cache: ImageCache) throws -> CacheKey {
        if let text = record.string("cache.key") {
            let key = try CacheKey(custom: text)
            if let entry = try cache.lookup(key, handingOut: false), entry.path == path { return key }
        }
        let key = try CacheItem.fileKey(path)
        _ = try named(path) { try cache.store(try File.openInput(path), key: key) }
        return key
    }

    // MARK: Into a folder

    private func makeFiles(
        _ path: String, _ record: Record, _ naming: OutputNaming, ready: (Variant, JSON) -> Void
    ) throws {
        let source = try File.openInput(path)
        try named(path) {
            let info = try inspect(source, limits: maker.options.limits)
            let format = maker.rendition.format(for: info.format)
            let targets = try variants.map { variant in
                try naming.path(stem: Self.stem(path), variant: variant, format: format, record: record)
            }
            let files = try targets.map { try OutputFile(path: $0) }
            let requests = zip(variants, files).map { variant, file in
                VariantMaker.Request(variant) { try file.write($0) }
            }
            try maker.make(source, info, requests) { index, result in
                try files[index].commit()
                ready(variants[index], try Self.field(targets[index], result))
            }
        }
    }

    private static func field(_ target: String, _ result: ShrinkResult) throws -> JSON {
        var field = Record()
        field.set("path", .string(try absolute(target)))
        field.set("width", .integer(result.size.width))
        field.set("height", .integer(result.size.height))
        field.set("bytes", .integer(result.bytes))
        field.set("format", .string(result.format.rawValue))
        field.set("status", .string("made"))
        add(facts(result), to: &field)
        return .raw(field.line)
    }

    // MARK: Names

    /// The file's name without folder and extension.
    private static func stem(_ path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
        return String(name[..<dot])
    }

    /// The path from the root on, links resolved. Throws `SystemFailure` (66).
    private static func absolute(_ path: String) throws -> String {
        guard let resolved = realpath(path, nil) else {
            throw SystemFailure(errno: errno, "open \(path)", purpose: .openInput)
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Adds the picture's name to what is wrong with it.
    private func named<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as any Failure {
            throw PictureFailure.naming(path, failure)
        }
    }
}

/// What is wrong with a picture, with the picture's name in its message.
public struct PictureFailure: Failure {
    public let path: String
    public let reason: any Failure

    /// Failures that name a file already, or have nothing to do with the picture, stay as they are.
    static func naming(_ path: String, _ failure: any Failure) -> any Failure {
        failure is ImageError || failure is FormatFailure ? PictureFailure(path: path, reason: failure) : failure
    }

    public init(path: String, reason: any Failure) {
        self.path = path
        self.reason = reason
    }

    public var code: String { reason.code }
    public var message: String { "\(path): \(reason.message)" }
    public var isTransient: Bool { reason.isTransient }
    public var exitCode: ExitCode { reason.exitCode }
}
