import CacheTools
import Formats
import Images
import Placeholders
import Records
import Store
import Support

/// Processes a record: chooses the variants and their destination, opens the picture, makes the thumbnail, makes all
/// variants with a single decoding, and records the files in the index. Draws placeholders if there is no picture.
struct VariantWork {
    private let tool: DownsampleTool
    private let argument: String?
    private let input: Record
    /// The path of the picture.
    private let path: String?
    private let variants: [Variant]
    /// The destination of the variants, or nil for the storage of the picture.
    private let files: (any Destination)?
    private let emit: (Record) -> Void
    /// The record with the variants made so far.
    private(set) var record: Record
    /// The variants that the record contained before this run.
    private let earlier: Record
    private var made: [String: JSON] = [:]
    /// The opened file, which is reused because a pipe can be read only once.
    private var opened: InputFile?

    init(
        _ tool: DownsampleTool, _ record: Record, argument: String?, _ turn: NamingTurn?,
        emit: @escaping (Record) -> Void
    ) throws {
        self.tool = tool
        self.argument = argument
        self.emit = emit
        self.record = record
        input = record
        earlier = record.raw("variants").flatMap { try? Record(parsing: $0) } ?? Record()
        path = try argument ?? record.path("path")
        variants = try Self.focused(tool.variants, record)
        files = try tool.files(path, record, turn)
    }

    /// Sets the focus of the variants to the record's focus, unless an option sets the focus.
    private static func focused(_ variants: [Variant], _ record: Record) throws -> [Variant] {
        guard let focus = try Focus.of(record) else { return variants }
        return variants.map { variant in
            var variant = variant
            variant.geometry.focus = variant.geometry.focus ?? focus
            return variant
        }
    }

    mutating func run() throws {
        let hasPicture = !input.hasError || tool.isPlaceholder(input)
        guard let path, hasPicture, argument != nil || !tool.isMovie(input) else { return try drawPlaceholders(nil) }
        do {
            do {
                try makeVariants(of: path)
            } catch CacheFailure.absent {
                // The entry was removed after it was found or stored, so find or store it again.
                try makeVariants(of: path)
            }
        } catch {
            let failure = try explained(Support.failure(of: error), of: path)
            if Self.isOfPicture(failure) { try drawPlaceholders(failure) }
            throw failure
        }
    }

    private mutating func makeVariants(of path: String) throws {
        let picture = try open(path)
        if tool.emitsEach { try makeThumbnail(picture) }
        let files = try encode(picture)
        if files.contains(where: \.file.isDamaged) {
            tool.log.warning("\(path): the picture is damaged; parts of it may be wrong or gray")
        }
        for (variant, file) in files where file.isNew && file.frameCount > 1 {
            try warn(of: file, variant, from: path, byteCount: picture.source.byteCount())
        }
        guard argument == nil, let folder = self.files as? FolderDestination else { return }
        try tool.remember(folder.made(files), in: folder.folder.absolutePath(), of: path, input)
    }

    /// Opens the picture. For an argument, sets the record's `path` to the path that stays valid after the run.
    private mutating func open(_ path: String) throws -> DownsampleTool.OpenPicture {
        guard argument != nil else { return try tool.open(path, isArgument: false, input, files, opened: &opened) }
        record.setPath("path", CacheKey.absolutePath(path))
        let picture = try tool.open(path, isArgument: true, input, files, opened: &opened)
        if let lasting = picture.path { record.setPath("path", lasting) } else { record.removePath("path") }
        return picture
    }

    /// Makes a variant of the embedded thumbnail, which can be shown until the other variants are complete. The
    /// thumbnail is rotated like the other variants. If a variant shows only a region of the picture, makes no
    /// thumbnail, because it would be too coarse.
    private mutating func makeThumbnail(_ picture: DownsampleTool.OpenPicture) throws {
        // If the template lacks `variant`, there is only one file name per picture, which the requested variant needs.
        if case .folder(let folder) = tool.output, !folder.template.has("variant") { return }
        guard variants.allSatisfy({ $0.geometry.region == nil }), let thumbnail = picture.source.thumbnail()
        else { return }
        do {
            let turns = variants[0].geometry.quarterTurns
            let sizes = try [thumbnail.info(), picture.source.info()].map {
                turns % 2 == 0 ? $0.uprightSize : $0.uprightSize.swapped
            }
            let region = Region(middleOf: sizes[0], shapedLike: sizes[1])
            let variant = Variant(
                name: Variant.thumbnailName, geometry: Geometry(region: region, quarterTurns: turns))
            try picture.destination.variants([variant], of: thumbnail, interruption: tool.interruption) {
                add($0, $1.field())
            }
        } catch let failure as any Failure where failure is ImageError || failure is FormatFailure {
            // Treat a damaged thumbnail as missing.
        }
    }

    private mutating func encode(_ picture: DownsampleTool.OpenPicture) throws -> [(variant: Variant, file: MadeFile)] {
        var files: [(variant: Variant, file: MadeFile)] = []
        try picture.destination.variants(variants, of: picture.source, interruption: tool.interruption) {
            add($0, $1.field())
            files.append(($0, $1))
        }
        return files
    }

    /// The least growth factor that causes a warning. Rounded corners or slightly more pixels may cause a smaller
    /// factor.
    private static let usualGrowth = 3
    /// The maximum size in bytes of a file that causes no warning. Such files load quickly, and the container of a WebP
    /// alone is larger than a tiny GIF.
    private static let smallFile = 16 << 10

    /// Logs a warning if an animation has many times the bytes of its source.
    private func warn(of file: MadeFile, _ variant: Variant, from path: String, byteCount: Int) {
        guard file.bytes > Self.smallFile, file.bytes / Self.usualGrowth >= byteCount else { return }
        let growth = file.bytes / max(byteCount, 1)
        tool.log.warning(
            "\(path): the animated \(variant.name) takes \(growth) times the bytes of its source;"
                + " use --fps N to keep fewer frames, or --frame 0 to keep only the first")
    }

    /// The variants that have not been made yet.
    private var rest: [Variant] { variants.filter { made[$0.name] == nil } }

    /// Adds a variant to the record. The variants of this run follow the variants of earlier runs, in the requested
    /// order.
    private mutating func add(_ variant: Variant, _ field: JSON) {
        made[variant.name] = field
        var merged = earlier
        for name in [Variant.thumbnailName] + variants.map(\.name) {
            if let field = made[name] { merged.set(name, field) }
        }
        record.set("variants", .raw(merged.line))
        if tool.emitsEach && !rest.isEmpty { emit(record) }
    }

    /// Returns the failure with the name of the picture. If the cached file was evicted, returns a failure with that
    /// reason. Throws `CacheFailure.scopeChanged` if the scope of the picture was purged.
    private func explained(_ failure: any Failure, of path: String) throws -> any Failure {
        if failure is ImageError || failure is FormatFailure { return NamedFailure(path, failure) }
        guard tool.output.isForRecords, (failure as? SystemFailure)?.isMissing == true else { return failure }
        try tool.requireScope(of: path, input)
        return argument == nil && CacheRoot.isLikeBlob(path) ? EvictedPicture(reason: failure) : failure
    }

    /// Returns whether a failure concerns the picture, rather than the output or a stopped run.
    private static func isOfPicture(_ failure: any Failure) -> Bool {
        failure is NamedFailure || failure is ImageError || failure is FormatFailure || failure is PlaceholderError
            || failure is PathRefusal || failure is InputTooLarge || failure.exitCode == .noInput
    }

    /// Draws placeholders for the missing variants, if placeholders are enabled. If drawing fails, only logs the
    /// failure, because the record's `error` is the failure of the picture.
    private mutating func drawPlaceholders(_ failure: (any Failure)?) throws {
        guard let placeholder = tool.fallback?.placeholder(for: input, failure) else { return }
        do {
            let destination = try files ?? tool.standInDestination(path, input)
            for variant in rest { try draw(placeholder, variant, in: destination) }
        } catch let failure as any Failure where Self.isOfPicture(failure) {
            tool.log.warning("no placeholder: \(failure.message)")
        }
    }

    /// Draws a placeholder. If a font or library is missing, warns and draws it without the parts that need it.
    private mutating func draw(_ placeholder: Placeholder, _ variant: Variant, in destination: any Destination) throws {
        var source = PlaceholderSource(placeholder: placeholder, icon: tool.fallback?.icon, maker: tool.maker)
        for isLast in [false, true] {
            do {
                return try destination.variants([variant], of: source, interruption: tool.interruption) {
                    add($0, $1.field(status: "fallback"))
                }
            } catch let incomplete as PlaceholderSource.Incomplete where !isLast {
                source.lacks = incomplete.lacks
                for text in source.lacks { tool.warnOnce(text) }
            }
        }
    }
}
