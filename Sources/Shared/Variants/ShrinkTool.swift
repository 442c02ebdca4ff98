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
    private let rendition: Rendition
    private let destination: Destination
    private let limits: DecodeLimits
    private let interruption: Interruption

    /// - Parameter variants: at least one.
    public init(
        variants: [Variant], rendition: Rendition, destination: Destination, limits: DecodeLimits = .standard,
        interruption: Interruption
    ) {
        self.variants = variants
        self.rendition = rendition
        self.destination = destination
        self.limits = limits
        self.interruption = interruption
    }

    /// A record without a picture passes.
    public func accepts(_ job: RecordJob) -> Bool { job.argument != nil || job.record.string("path") != nil }

    public func process(_ record: inout Record, argument: String?) throws {
        guard let path = argument ?? record.string("path") else { return }
        if argument != nil { record.set("path", .string(try Self.absolute(path))) }
        // Each variant that is done stays in the record, also where a later one fails.
        var made = record.raw("variants").flatMap { try? Record(parsing: $0) } ?? Record()
        let make = try maker(path, record)
        for variant in variants {
            made.set(variant.name, try make(variant))
            record.set("variants", .raw(made.line))
        }
    }

    /// What makes one variant of the picture at `path` and gives its field. What all variants share is done here, once.
    private func maker(_ path: String, _ record: Record) throws -> (Variant) throws -> JSON {
        switch destination {
        case .cache(let caches):
            let cache = try caches.cache(scope: record.string("cache.scope"))
            let parent = try original(path, record, in: cache)
            return { variant in try cached(variant, of: parent, at: path, in: cache) }
        case .folder(let naming):
            let source = try File.openInput(path)
            let info = try named(path) { try inspect(source, limits: limits) }
            return { variant in try written(variant, of: source, info, record, naming) }
        }
    }

    /// Shrinks one picture to a sink, in the format that is asked for.
    @discardableResult
    public func shrink(
        _ source: some ByteSource, _ variant: Variant, as format: OutputFormat? = nil,
        into sink: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> ShrinkResult {
        try shrink(source, inspect(source, limits: limits), variant, as: format, into: sink)
    }

    private func shrink(
        _ source: some ByteSource, _ info: PictureInfo, _ variant: Variant, as format: OutputFormat? = nil,
        into sink: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> ShrinkResult {
        var encoding = rendition.encoding(for: info.format)
        if let format { encoding.format = format }
        return try Images.shrink(
            source, info, to: variant.box.size(for:), encode: encoding, limits: limits, interruption: interruption,
            into: sink)
    }

    // MARK: Into the cache

    private func cached(
        _ variant: Variant, of parent: CacheKey, at path: String, in cache: ImageCache
    ) throws -> JSON {
        let (entry, isMade) = try cache.variant(of: parent, options: rendition.key(variant)) { original, target in
            let output = try File.open(target, O_WRONLY | O_CREAT | O_EXCL)
            let result = try named(path) {
                try shrink(try File.openInput(original.path), variant) { try output.write($0) }
            }
            return InspectedPicture(
                contentType: result.format.contentType, fileExtension: result.format.fileExtension,
                width: result.size.width, height: result.size.height)
        }
        return .object([
            "path": .string(entry.path), "width": entry.width.map(JSON.integer),
            "height": entry.height.map(JSON.integer), "bytes": .integer(entry.bytes),
            "format": .string(String(entry.contentType.drop { $0 != "/" }.dropFirst())),
            "status": .string(isMade ? "made" : "hit"),
        ])
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

    private func written(
        _ variant: Variant, of source: File, _ info: PictureInfo, _ record: Record, _ naming: OutputNaming
    ) throws -> JSON {
        let target = try naming.path(
            stem: Self.stem(source.path), variant: variant, format: rendition.format(for: info.format), record: record)
        let output = try OutputFile(path: target)
        let result = try named(source.path) { try shrink(source, info, variant) { try output.write($0) } }
        try output.commit()
        return .object([
            "path": .string(try Self.absolute(target)), "width": .integer(result.size.width),
            "height": .integer(result.size.height), "bytes": .integer(result.bytes),
            "format": .string(result.format.rawValue), "status": .string("made"),
        ])
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
