import CacheTools
import Fetch
import Formats
import Images
import Placeholders
import Records
import Store
import Support

/// Makes variants of each record's picture, for `img-downsample`.
public struct DownsampleTool: RecordTool {
    public enum Output: Sendable {
        /// The storage of the original: the cache or a temporary folder.
        case cache
        case folder(OutputFolder)
        /// A folder whose files are named by a digest, see `ContentFolder`.
        case content(ContentFolder)
        /// The path of a single file.
        case file(String)
        /// Standard output, for a single file.
        case standardOutput

        /// Whether the output records report the variants. If not, the cache is not used.
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
    private let output: Output
    /// The caches of this run, which may contain the pictures of records.
    let caches: Caches
    /// Restricts the files that records name; arguments may name any file.
    let pathGuard: PathGuard
    /// Whether to emit a record after each of its variants, starting with the embedded thumbnail, if any.
    public var emitsEach = false
    /// Draws placeholders for missing pictures; nil draws none.
    public var fallback: Fallback?
    /// Whether the single file is synced to disk.
    public var synchronizesFiles = false
    private let log: Log
    /// The warnings logged so far. Each is logged only once.
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

    /// Accepts records that have a picture. If placeholders are enabled, also accepts records with an error of an
    /// earlier tool, and videos without a still. A GIF's placeholder counts as a picture, although its record has an
    /// error.
    public func accepts(_ job: RecordJob) -> Bool {
        let hasPicture = job.argument != nil || job.record.hasPath("path")
        if job.argument == nil, isMade(job.record) { return !lacking(job.record).isEmpty }
        if job.record.hasError { return fallback != nil || isPlaceholder(job.record) }
        if job.argument == nil, isMovie(job.record) { return fallback != nil }
        return hasPicture || fallback != nil && job.record.string("media_type") == "video"
    }

    /// Returns whether the cached file of a record is a movie, which has no variants.
    private func isMovie(_ record: Record) -> Bool {
        record.string("cache.content_type")?.hasPrefix("video/") ?? false
    }

    public var acceptsErrors: Bool { true }

    private func isPlaceholder(_ record: Record) -> Bool {
        record.bool("gif.placeholder") == true && record.hasPath("path")
    }

    /// Adds the variants of a picture to its record. If a variant fails, the variants completed before it are kept. If
    /// the picture fails, adds placeholders, if enabled. Throws `NamedFailure`, `PathRefusal`, `TemplateFailure`,
    /// `OutputFailure`, `CacheFailure`, `SystemFailure`, `Cancelled`.
    public func prepare(_ job: RecordJob) -> Prepared {
        let turn: NamingTurn? = if case .folder(let folder) = output { folder.turn() } else { nil }
        return .work { try process(&$0, argument: job.argument, turn, emit: $1.emit) }
    }

    public func process(
        _ record: inout Record, argument: String?, _ turn: NamingTurn? = nil, emit: (Record) -> Void
    ) throws {
        defer { turn?.end() }
        // Count this thread as busy; only the remaining threads may help with a picture.
        maker.options.spareThreads.occupy()
        defer { maker.options.spareThreads.giveBack() }
        if argument == nil, isMade(record) { throw NotMade(variants: lacking(record)) }
        var result = record
        defer { record = result }
        let named = try argument ?? record.path("path")
        let earlier = record.raw("variants").flatMap { try? Record(parsing: $0) } ?? Record()
        var made: [String: JSON] = [:]
        let variants = try focused(record)
        var left = variants
        func add(_ variant: Variant, _ field: JSON) {
            made[variant.name] = field
            left.removeAll { $0.name == variant.name }
            result.set("variants", .raw(merged(made, into: earlier).line))
            if emitsEach && !left.isEmpty { emit(result) }
        }
        let files = try files(named, record, turn)
        func drawPlaceholders(_ failure: (any Failure)?) throws {
            guard let placeholder = fallback?.placeholder(for: record, failure) else { return }
            try draw(placeholder, left, named, record, files, ready: add)
        }
        guard let path = named, !record.hasError || isPlaceholder(record), argument != nil || !isMovie(record) else {
            return try drawPlaceholders(nil)
        }
        var input: InputFile?
        func makeAll() throws {
            if argument != nil { result.setPath("path", CacheKey.absolutePath(path)) }
            let picture = try open(path, isArgument: argument != nil, record, files, opened: &input)
            if argument != nil {
                if let lasting = picture.path { result.setPath("path", lasting) } else { result.removePath("path") }
            }
            if emitsEach { try makeThumbnail(picture, ready: add) }
            var isDamaged = false
            var fields: [(variant: Variant, file: MadeFile)] = []
            try picture.destination.variants(variants, of: picture.source, interruption: interruption) {
                add($0, $1.field())
                fields.append(($0, $1))
                isDamaged = isDamaged || $1.isDamaged
            }
            if argument == nil, let files = files as? FolderDestination {
                try remember(files.made(fields), in: files.folder.absolutePath(), of: path, record)
            }
            if isDamaged { log.warning("\(path): the picture is damaged; parts of it may be wrong or gray") }
        }
        do {
            do {
                try makeAll()
            } catch CacheFailure.absent {
                // The entry was purged or removed after it was found or stored, so try again.
                try makeAll()
            }
        } catch {
            var failure = Support.failure(of: error)
            if failure is ImageError || failure is FormatFailure { failure = NamedFailure(path, failure) }
            if output.isForRecords, (failure as? SystemFailure)?.isMissing == true {
                try requireScope(of: path, record)
                if argument == nil, CacheRoot.isLikeBlob(path) { failure = EvictedPicture(reason: failure) }
            }
            if Self.isOfPicture(failure) { try drawPlaceholders(failure) }
            throw failure
        }
    }

    /// Returns the variants with the record's focus, unless an option sets the focus. Throws `FocusFailure`.
    private func focused(_ record: Record) throws -> [Variant] {
        guard let focus = try Focus.of(record) else { return variants }
        return variants.map { variant in
            var variant = variant
            variant.geometry.focus = variant.geometry.focus ?? focus
            return variant
        }
    }

    private var interruption: Interruption { maker.options.interruption }

    /// Returns the record's earlier variants, updated with the variants of this run in the requested order.
    private func merged(_ made: [String: JSON], into earlier: Record) -> Record {
        var merged = earlier
        for name in [Variant.thumbnailName] + variants.map(\.name) {
            if let field = made[name] { merged.set(name, field) }
        }
        return merged
    }

    /// Returns whether a failure concerns the picture, rather than the output or a stopped run.
    private static func isOfPicture(_ failure: any Failure) -> Bool {
        failure is NamedFailure || failure is ImageError || failure is FormatFailure || failure is PlaceholderError
            || failure is PathRefusal || failure is InputTooLarge || failure.exitCode == .noInput
    }

    // MARK: Substitutes

    /// Makes a variant of the embedded thumbnail, which can be shown before the other variants. It has their rotation.
    /// Does nothing if a variant shows only a part of the picture: the thumbnail is too coarse for a part.
    private func makeThumbnail(_ picture: OpenPicture, ready: (Variant, JSON) -> Void) throws {
        // Without `variant` in its template, the folder has only one name per picture, which the requested variant
        // needs.
        if case .folder(let folder) = output, !folder.template.has("variant") { return }
        guard variants.allSatisfy({ $0.geometry.region == nil }), let thumbnail = picture.source.thumbnail() else {
            return
        }
        do {
            let turns = variants[0].geometry.quarterTurns
            let sizes = try [thumbnail.info(), picture.source.info()].map {
                turns % 2 == 0 ? $0.uprightSize : $0.uprightSize.swapped
            }
            let region = Region(middleOf: sizes[0], shapedLike: sizes[1])
            let variant = Variant(
                name: Variant.thumbnailName, geometry: Geometry(region: region, quarterTurns: turns))
            try picture.destination.variants([variant], of: thumbnail, interruption: interruption) {
                ready($0, $1.field())
            }
        } catch let failure as any Failure where failure is ImageError || failure is FormatFailure {
            // Treat a damaged thumbnail as missing.
        }
    }

    private func hasWarned(of text: String) -> Bool {
        warned.withLock { warned in
            if warned.contains(text) { return true }
            warned.append(text)
            return false
        }
    }

    /// Draws placeholders for the given variants. If that fails, logs a warning, and the record keeps the picture's
    /// failure.
    private func draw(
        _ placeholder: Placeholder, _ variants: [Variant], _ path: String?, _ record: Record,
        _ files: (any Destination)?, ready: (Variant, JSON) -> Void
    ) throws {
        do {
            let destination = try files ?? standInDestination(path, record)
            for variant in variants {
                var source = PlaceholderSource(placeholder: placeholder, icon: fallback?.icon, maker: maker)
                func make() throws {
                    try destination.variants([variant], of: source, interruption: interruption) {
                        ready($0, $1.field(status: "fallback"))
                    }
                }
                do {
                    try make()
                } catch let incomplete as PlaceholderSource.Incomplete {
                    source.lacks = incomplete.lacks
                    for text in source.lacks where !hasWarned(of: text) { log.warning(text) }
                    try make()
                }
            }
        } catch let failure as any Failure where Self.isOfPicture(failure) {
            log.warning("no placeholder: \(failure.message)")
        }
    }

    /// Returns the destination of a record's files; nil for the storage of its picture.
    private func files(_ path: String?, _ record: Record, _ turn: NamingTurn?) throws -> (any Destination)? {
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
