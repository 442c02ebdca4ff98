import Cache
import Formats
import Images
import Placeholders
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
    private let fallback: Fallback?
    private let log: Log
    /// What has been warned of, so that a stream says it once.
    private let warned = Monitor(Set<String>())

    /// - Parameters:
    ///   - variants: at least one, no two of one name.
    ///   - emitsEach: whether a record leaves each time that one of its variants is done, and before, when the picture
    ///     has a thumbnail of its own.
    ///   - fallback: what is drawn where there is no picture; nil is nothing.
    public init(
        variants: [Variant], maker: VariantMaker, destination: Destination, emitsEach: Bool = false,
        fallback: Fallback? = nil, log: Log
    ) {
        self.variants = variants
        self.maker = maker
        self.destination = destination
        self.emitsEach = emitsEach
        self.fallback = fallback
        self.log = log
    }

    /// A record without a picture passes, unless something is to be drawn for it: for one that an earlier tool failed
    /// with, or a video without a still. A GIF's placeholder is a picture like any other, although its record bears an
    /// error.
    public func accepts(_ job: RecordJob) -> Bool {
        let hasPicture = job.argument != nil || job.record.string("path") != nil
        if job.record.bearsError { return fallback != nil || isPlaceholder(job.record) }
        return hasPicture || fallback != nil && job.record.string("media_type") == "video"
    }

    public var acceptsErrors: Bool { true }

    private func isPlaceholder(_ record: Record) -> Bool {
        record.bool("gif.placeholder") == true && record.string("path") != nil
    }

    public func process(_ record: inout Record, argument: String?, emit: (Record) -> Void) throws {
        // This thread is one of the run's; what is left may help with a picture.
        maker.options.spareThreads.occupy()
        defer { maker.options.spareThreads.giveBack() }
        var result = record
        // Each variant that is done stays in the record, also where a later one fails.
        defer { record = result }
        let path = argument ?? record.string("path")
        let earlier = record.raw("variants").flatMap { try? Record(parsing: $0) } ?? Record()
        var made: [(name: String, field: JSON)] = []
        var left = variants
        // Names of files that this record has been given: its placeholders may have them where it has no pictures.
        var named: Set<String> = []
        try withoutActuallyEscaping(emit) { emit in
            func add(_ variant: Variant, _ field: JSON) {
                made.append((variant.name, field))
                left.removeAll { $0.name == variant.name }
                result.set("variants", .raw(merged(made, into: earlier).line))
                if emitsEach && !left.isEmpty { emit(result) }
            }
            guard let path, !record.bearsError || isPlaceholder(record) else {
                do {
                    return try drawPlaceholders(left, for: record, nil, path: path, named: named, ready: add)
                } catch let failure as any Failure where Self.isOfPicture(failure) {
                    // What the record says is missing goes before what is wrong with its stand-in.
                    return log.warning("no placeholder: \(failure.message)")
                }
            }
            do {
                if argument != nil { result.set("path", .string(try Self.absolute(path))) }
                if emitsEach, let (variant, field) = try makeThumbnail(path, result) { add(variant, field) }
                try make(path, result, named: &named, ready: add)
            } catch let failure as any Failure where fallback != nil && Self.isOfPicture(failure) {
                do {
                    try drawPlaceholders(left, for: record, failure, path: path, named: named, ready: add)
                } catch let other as any Failure where Self.isOfPicture(other) {
                    log.warning("no placeholder: \(other.message)")
                }
                throw failure
            }
        }
    }

    /// Whether a picture is what is wrong, or that there is none: not the run that is being stopped, nor its output.
    private static func isOfPicture(_ failure: any Failure) -> Bool {
        failure is PictureFailure || failure is ImageError || failure is FormatFailure || failure is PlaceholderError
            || failure.exitCode == .noInput
    }

    /// What an earlier run made, and what this one has made so far, in the order in which it was asked for.
    private func merged(_ made: [(name: String, field: JSON)], into earlier: Record) -> Record {
        var merged = earlier
        let order = [Variant.thumbnailName] + variants.map(\.name)
        for name in order {
            if let field = made.last(where: { $0.name == name })?.field { merged.set(name, field) }
        }
        return merged
    }

    /// Makes all variants of the picture at `path`; `ready` is told each with its field.
    private func make(
        _ path: String, _ record: Record, named: inout Set<String>, ready: @escaping (Variant, JSON) -> Void
    ) throws {
        switch destination {
        case .cache(let caches):
            let cache = try caches.cache(scope: record.string("cache.scope"))
            try makeCached(path, record, in: cache, ready: ready)
        case .folder(let naming):
            try makeFiles(path, record, naming, named: &named, ready: ready)
        }
    }

    /// The picture's own thumbnail as a variant, where it has one.
    private func makeThumbnail(_ path: String, _ record: Record) throws -> (Variant, JSON)? {
        guard let variant = maker.thumbnail(for: variants) else { return nil }
        // Where names don't tell variants apart, the one name is the picture's.
        if case .folder(let naming) = destination, !naming.namesVariants { return nil }
        let source = try File.openInput(path)
        guard let info = try? inspect(source, limits: maker.options.limits),
            let thumbnail = embeddedThumbnail(of: source, info, limits: maker.options.limits)
        else { return nil }
        var made: (Variant, JSON)?
        do {
            switch destination {
            case .cache(let caches):
                let cache = try caches.cache(scope: record.string("cache.scope"))
                let parent = try original(path, record, in: cache)
                try cache.variants(of: parent, options: ["thumbnail;\(maker.key(variant))"]) { _, entry, isMade in
                    made = (variant, Self.field(entry, status: isMade ? "made" : "hit"))
                } make: { _, missing, done in
                    let output = try File.open(missing[0].path, O_WRONLY | O_CREAT | O_EXCL)
                    let request = VariantMaker.Request(variant) { try output.write($0) }
                    try maker.make(thumbnail.source, thumbnail.info, [request]) { try done(0, Self.picture($1)) }
                }
            case .folder(let naming):
                let target = try naming.path(
                    stem: Self.stem(path), variant: variant, format: maker.rendition.format(for: .jpeg), record: record)
                let file = try OutputFile(path: target)
                let request = VariantMaker.Request(variant) { try file.write($0) }
                try maker.make(thumbnail.source, thumbnail.info, [request]) { _, result in
                    try file.commit()
                    made = (variant, try Self.field(target, result, status: "made"))
                }
            }
        } catch is ImageError {
            // A damaged thumbnail is as good as none.
            return nil
        }
        return made
    }

    // MARK: In place of a picture

    private func drawPlaceholders(
        _ variants: [Variant], for record: Record, _ failure: (any Failure)?, path: String?, named: Set<String>,
        ready: (Variant, JSON) -> Void
    ) throws {
        guard let fallback else { return }
        let placeholder = fallback.placeholder(for: record, failure)
        for variant in variants {
            switch destination {
            case .cache(let caches):
                let cache = try caches.cache(scope: record.string("cache.scope"))
                ready(variant, Self.field(try drawn(placeholder, variant, in: cache), status: "fallback"))
            case .folder(let naming):
                let target = try naming.path(
                    stem: path.map(Self.stem) ?? "placeholder", variant: variant,
                    format: maker.placeholderFormat(nil), record: record, isNumbered: path == nil,
                    own: named)
                let file = try OutputFile(path: target)
                let result = try draw(placeholder, variant) { try file.write($0) }.result
                try file.commit()
                ready(variant, try Self.field(target, result, status: "fallback"))
            }
        }
    }

    /// The placeholder's entry, drawn where it is not there yet.
    private func drawn(_ placeholder: Placeholder, _ variant: Variant, in cache: ImageCache) throws -> Entry {
        let key = maker.key(placeholder, variant)
        if let entry = try cache.lookup(CacheKey(custom: key)) { return entry }
        var bytes: [UInt8] = []
        let (result, isComplete) = try draw(placeholder, variant) { bytes.append(contentsOf: $0) }
        let picture = Self.picture(result)
        // One without its words is drawn again when there may be a font.
        let kept = try CacheKey(custom: isComplete ? key : "incomplete:\(key)")
        return try cache.store(MemorySource(bytes), key: kept) { _ in picture }.entry
    }

    private func draw(
        _ placeholder: Placeholder, _ variant: Variant, sink: @escaping (UnsafeRawBufferPointer) throws -> Void
    ) throws -> (result: ShrinkResult, isComplete: Bool) {
        let (result, warnings) = try maker.draw(placeholder, VariantMaker.Request(variant, sink: sink))
        for warning in warnings where warned.withLock({ $0.insert(warning).inserted }) { log.warning(warning) }
        return (result, warnings.isEmpty)
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
                ready(variants[place], Self.field(entry, status: isMade ? "made" : "hit"))
            }
        } make: { original, missing, done in
            try named(path) {
                let source = try File.openInput(original.path)
                let requests = try missing.map { index, target in
                    let output = try File.open(target, O_WRONLY | O_CREAT | O_EXCL)
                    return VariantMaker.Request(variants[distinct[index]]) { try output.write($0) }
                }
                try maker.make(source, inspect(source, limits: maker.options.limits), requests) { place, result in
                    try done(missing[place].index, Self.picture(result))
                }
            }
        }
    }

    private static func picture(_ result: ShrinkResult) -> InspectedPicture {
        InspectedPicture(
            contentType: result.format.contentType, fileExtension: result.format.fileExtension,
            width: result.size.width, height: result.size.height, details: facts(result))
    }

    private static func field(_ entry: Entry, status: String) -> JSON {
        var field = Record()
        field.set("path", .string(entry.path))
        if let width = entry.width { field.set("width", .integer(width)) }
        if let height = entry.height { field.set("height", .integer(height)) }
        field.set("bytes", .integer(entry.bytes))
        field.set("format", .string(String(entry.contentType.drop { $0 != "/" }.dropFirst())))
        field.set("status", .string(status))
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
        return try named(path) {
            // What is over a limit costs the cache nothing.
            _ = try inspect(try File.openInput(path), limits: maker.options.limits)
            do {
                _ = try cache.store(try File.openInput(path), key: key)
                return key
            } catch let failure as any Failure
                where maker.options.allowsTruncated && Self.isTruncation(failure)
            {
                // Under a key of its own: nobody else takes it for the whole picture.
                let key = try CacheKey(custom: "truncated:\(key)")
                let limits = maker.options.limits
                _ = try cache.store(try File.openInput(path), key: key) { source in
                    let info = try inspect(source, limits: limits)
                    return InspectedPicture(format: info.format, upright: info.uprightSize)
                }
                return key
            }
        }
    }

    /// Whether a picture ends too early, and there is something of it.
    private static func isTruncation(_ failure: any Failure) -> Bool {
        if case FormatFailure.truncated = failure { return true }
        if case ImageError.truncated = failure { return true }
        return false
    }

    // MARK: Into a folder

    private func makeFiles(
        _ path: String, _ record: Record, _ naming: OutputNaming, named: inout Set<String>,
        ready: (Variant, JSON) -> Void
    ) throws {
        let source = try File.openInput(path)
        try self.named(path) {
            let info = try inspect(source, limits: maker.options.limits)
            let format = maker.rendition.format(for: info.format)
            let targets = try variants.map { variant in
                try naming.path(stem: Self.stem(path), variant: variant, format: format, record: record)
            }
            named.formUnion(targets)
            let files = try targets.map { try OutputFile(path: $0) }
            let requests = zip(variants, files).map { variant, file in
                VariantMaker.Request(variant) { try file.write($0) }
            }
            try maker.make(source, info, requests) { index, result in
                try files[index].commit()
                ready(variants[index], try Self.field(targets[index], result, status: "made"))
            }
        }
    }

    private static func field(_ target: String, _ result: ShrinkResult, status: String) throws -> JSON {
        var field = Record()
        field.set("path", .string(try absolute(target)))
        field.set("width", .integer(result.size.width))
        field.set("height", .integer(result.size.height))
        field.set("bytes", .integer(result.bytes))
        field.set("format", .string(result.format.rawValue))
        field.set("status", .string(status))
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
    public static func naming(_ path: String, _ failure: any Failure) -> any Failure {
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
