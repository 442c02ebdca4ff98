import Cache
import Formats
import Images
import Placeholders
import Records
import Support

/// Makes variants of each record's picture: the work of `img-downsample`.
public struct ShrinkTool: RecordTool {
    /// Where variants go.
    public enum Destination: Sendable {
        /// Beside their original: into the cache, or past it where the original is.
        case cache
        /// Into a folder.
        case folder(OutputNaming)
    }

    public let name = "img-downsample"
    let variants: [Variant]
    let maker: VariantMaker
    let destination: Destination
    private let pathGuard: PathGuard
    /// Those of this run, in which the pictures of records may lie.
    let caches: Caches
    private let emitsEach: Bool
    let fallback: Fallback?
    /// Whether files of a folder are waited for until they are on the disk.
    let synchronizesFiles: Bool
    let log: Log
    /// What has been warned of, so that a stream says it once.
    let warned = Monitor(Set<String>())

    /// - Parameters:
    ///   - variants: at least one, no two of one name.
    ///   - pathGuard: which files records may name; arguments may name any.
    ///   - emitsEach: whether a record leaves each time that one of its variants is done, and before, when the picture
    ///     has a thumbnail of its own.
    ///   - fallback: what is drawn where there is no picture; nil is nothing.
    ///   - synchronizesFiles: whether a file of a folder counts as done only when it is on the disk.
    public init(
        variants: [Variant], maker: VariantMaker, destination: Destination, caches: Caches, pathGuard: PathGuard,
        emitsEach: Bool = false, fallback: Fallback? = nil, synchronizesFiles: Bool = false, log: Log
    ) {
        self.variants = variants
        self.maker = maker
        self.destination = destination
        self.pathGuard = pathGuard
        self.caches = caches
        self.emitsEach = emitsEach
        self.fallback = fallback
        self.synchronizesFiles = synchronizesFiles
        self.log = log
    }

    /// A record without a picture passes, unless something is to be drawn for it: for one that an earlier tool failed
    /// with, or a video without a still. A GIF's placeholder is a picture like any other, although its record bears an
    /// error.
    public func accepts(_ job: RecordJob) -> Bool {
        let hasPicture = job.argument != nil || job.record.hasPath("path")
        if job.record.bearsError { return fallback != nil || isPlaceholder(job.record) }
        return hasPicture || fallback != nil && job.record.string("media_type") == "video"
    }

    public var acceptsErrors: Bool { true }

    private func isPlaceholder(_ record: Record) -> Bool {
        record.bool("gif.placeholder") == true && record.hasPath("path")
    }

    public func prepare(_ job: RecordJob) -> Prepared {
        .work { try process(&$0, argument: job.argument, emit: $1) }
    }

    private func process(_ record: inout Record, argument: String?, emit: (Record) -> Void) throws {
        // This thread is one of the run's; what is left may help with a picture.
        maker.options.spareThreads.occupy()
        defer { maker.options.spareThreads.giveBack() }
        var result = record
        // Each variant that is done stays in the record, also where a later one fails.
        defer { record = result }
        let path = try argument ?? record.path("path")
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
                return try drawPlaceholders(left, for: record, nil, path: path, named: named, ready: add)
            }
            do {
                if argument != nil { result.setPath("path", CacheItem.absolutePath(path)) }
                // Opened once: what was allowed is what is read.
                var (source, path, record) = (
                    try argument == nil ? InputFile(pathGuard.open(path)) : input(path), path, record
                )
                if let (entry, status) = try keepStream(source, record) {
                    // From here on as if `img-cache put` had handed it on.
                    source = InputFile(try File.openInput(entry.path))
                    path = entry.path
                    record.setCached(entry, status: status)
                    result.setPath("path", path)
                } else if source.sha256OfStream != nil {
                    result.removePath("path")
                }
                if emitsEach, let (variant, field) = try makeThumbnail(source, path, result) {
                    add(variant, field)
                }
                try make(source, path, result, named: &named, ready: add)
            } catch let failure as any Failure {
                if (failure as? SystemFailure)?.isMissing == true { try requireScope(of: path, record) }
                if Self.isOfPicture(failure) {
                    try drawPlaceholders(left, for: record, failure, path: path, named: named, ready: add)
                }
                throw failure
            }
        }
    }

    /// The file that an argument names, which may be a pipe.
    private func input(_ path: String) throws -> InputFile {
        try InputFile(
            path, byteLimit: maker.options.limits.maxInputBytes, interruption: maker.options.interruption)
    }

    /// Throws `CacheFailure.scopeChanged` if the picture's scope was purged or switched away from after the record got
    /// its path. The file may be there for a while yet, but nothing more is to be made of it.
    func requireScope(of path: String, _ record: Record) throws {
        guard try caches.isPurged(path) else { return }
        throw CacheFailure.scopeChanged(scope: try record.string("cache.scope") ?? caches.scope().text)
    }

    /// Whether a picture is what is wrong, or that there is none: not the run that is being stopped, nor its output.
    static func isOfPicture(_ failure: any Failure) -> Bool {
        failure is PictureFailure || failure is ImageError || failure is FormatFailure || failure is PlaceholderError
            || failure is PathRefusal || failure is InputTooLarge || failure.exitCode == .noInput
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
        _ source: InputFile, _ path: String, _ record: Record, named: inout Set<String>,
        ready: @escaping (Variant, JSON) -> Void
    ) throws {
        switch destination {
        case .cache:
            switch try place(of: path, record, source) {
            case .cache(let cache): try makeCached(source, path, record, in: cache, ready: ready)
            case .bypass(let bypass): try makeBypassed(source, path, record, past: bypass, ready: ready)
            }
        case .folder(let naming):
            try makeFiles(source, path, record, naming, named: &named, ready: ready)
        }
    }

    // MARK: Names

    /// The file's name without folder and extension.
    static func stem(_ path: String) -> String {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map(Substring.init) ?? path[...]
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return String(name) }
        return String(name[..<dot])
    }

    /// Adds the picture's name to what is wrong with it.
    func named<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as any Failure {
            throw PictureFailure.naming(path, failure)
        }
    }
}
