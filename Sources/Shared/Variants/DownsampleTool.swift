import CacheTools
import Fetch
import Formats
import Images
import Placeholders
import Records
import Store
import Support

/// Makes variants of each record's picture. Used by `img-downsample`.
public struct DownsampleTool: RecordTool {
    public enum Output: Sendable {
        /// The storage of the original, which is the cache or a temporary folder.
        case cache
        case folder(OutputFolder)
        case content(ContentFolder)
        /// The path of a single file.
        case file(String)
        /// Standard output, for a single file.
        case standardOutput

        /// Whether the variants are reported in records. Otherwise the cache is not used.
        var isForRecords: Bool {
            switch self {
            case .cache, .folder, .content: true
            case .file, .standardOutput: false
            }
        }
    }

    public let name = "img-downsample"
    let variants: [Variant]
    let maker: VariantMaker
    let output: Output
    /// The caches of this run, which may contain the pictures of records.
    let caches: Caches
    /// Restricts the files that records may name. Arguments may name any file.
    let pathGuard: PathGuard
    /// Whether to emit a record after each of its variants. The first variant is then the embedded thumbnail, if there
    /// is one.
    public var emitsEach = false
    /// The settings of placeholders for missing pictures, or nil to draw no placeholders.
    public var fallback: Fallback?
    /// Whether a single file is synced to disk.
    public var synchronizesFiles = false
    let log: Log
    /// The warnings that were logged, so that each is logged only once.
    private let warned = Monitor<[String]>([])

    /// - Parameter variants: at least one, with distinct names.
    public init(
        variants: [Variant], maker: VariantMaker, output: Output, caches: Caches, pathGuard: PathGuard, log: Log
    ) {
        self.variants = variants
        self.maker = maker
        self.output = output
        self.caches = caches
        self.pathGuard = pathGuard
        self.log = log
    }

    /// Accepts records that have a picture. This includes a placeholder from `gif-cache`, although its record has an
    /// error. If `fallback` is set, also accepts other records with an error, and videos without a still.
    public func accepts(_ job: RecordJob) -> Bool {
        let hasPicture = job.argument != nil || job.record.hasPath("path")
        if job.argument == nil, isMade(job.record) { return !lacking(job.record).isEmpty }
        if job.record.hasError { return fallback != nil || isPlaceholder(job.record) }
        if job.argument == nil, isMovie(job.record) { return fallback != nil }
        return hasPicture || fallback != nil && job.record.string("media_type") == "video"
    }

    /// Returns whether the cached file of a record is a movie, which has no variants.
    package func isMovie(_ record: Record) -> Bool {
        record.string("cache.content_type")?.hasPrefix("video/") ?? false
    }

    /// Reads the header of a picture and checks it against the limits of the run. Throws `FormatFailure`, `ImageError`.
    public func header(of file: File) throws -> ImageHeader {
        try inspect(InputFile(file), limits: maker.options.limits)
    }

    /// Returns whether the variants of a picture are animations, unless they show a single frame.
    public func makesAnimations(of file: File, _ header: ImageHeader) -> Bool {
        var header = header
        // The header of a GIF does not contain the number of frames.
        if header.isAnimated == nil { try? maker.options.checkEnd(of: InputFile(file), &header) }
        return header.isAnimated == true && maker.encodeSettings.frame == nil
            && maker.format(of: .pager, source: header).holdsAnimations
    }

    public var acceptsErrors: Bool { true }

    func isPlaceholder(_ record: Record) -> Bool {
        record.bool("gif.placeholder") == true && record.hasPath("path")
    }

    /// Returns the work for a record: adding the variants of its picture. If a variant fails, the variants completed
    /// before it are kept. If the picture fails, placeholders are added, if enabled. The work throws `NamedFailure`,
    /// `PathRefusal`, `TemplateFailure`, `OutputFailure`, `CacheFailure`, `SystemFailure`, `Cancelled`.
    public func prepare(_ job: RecordJob) -> Prepared {
        let turn: NamingTurn? = if case .folder(let folder) = output { folder.turn() } else { nil }
        return .work { try process(&$0, argument: job.argument, turn, emit: $1.emit) }
    }

    public func process(
        _ record: inout Record, argument: String?, _ turn: NamingTurn? = nil, emit: @escaping (Record) -> Void
    ) throws {
        defer { turn?.end() }
        // Count this thread as busy, so that only the remaining threads may help with a picture.
        maker.options.spareThreads.occupy()
        defer { maker.options.spareThreads.giveBack() }
        if argument == nil, isMade(record) { throw NotMade(variants: lacking(record)) }
        var work = try VariantWork(self, record, argument: argument, turn, emit: emit)
        // Return the variants that were made before a failure.
        defer { record = work.record }
        try work.run()
    }

    var interruption: Interruption { maker.options.interruption }

    /// Logs a warning, unless this run has already logged the same text.
    func warnOnce(_ text: String) {
        let isNew = warned.withLock { warned in
            if warned.contains(text) { return false }
            warned.append(text)
            return true
        }
        if isNew { log.warning(text) }
    }

    /// Returns the destination of a record's files, or nil for the storage of its picture.
    func files(_ path: String?, _ record: Record, _ turn: NamingTurn?) throws -> (any Destination)? {
        switch output {
        case .cache: nil
        case .folder(let folder): FolderDestination(folder, picture: path, record, turn)
        case .content(let folder):
            ContentDestination(folder: folder, sha256: try path.flatMap { try digest(of: $0, record) })
        case .file(let path): FileDestination(path: path, synchronizes: synchronizesFiles)
        case .standardOutput: StandardOutput(holds: fallback != nil)
        }
    }
}
