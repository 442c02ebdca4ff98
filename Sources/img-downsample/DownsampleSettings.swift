import CacheTools
import Commands
import Fetch
import Formats
import Images
import Options
import Placeholders
import Records
import Store
import Support
import Variants

/// The command line, checked.
struct DownsampleSettings {
    let variants: [Variant]
    let maker: VariantMaker
    let fallback: Fallback?
    /// Where the plain form writes; nil for records.
    let output: String?
    let cache: CacheSettings
    /// Folders below which records may name files, beside the tools' own.
    let allowedFolders: [String]
    /// That of `--output-dir`.
    let folder: OutputFolder?
    /// Whether the file of `-o` is waited for until it is on the disk.
    let synchronizesFiles: Bool

    init(_ context: ToolContext) throws {
        let arguments = context.arguments
        output = arguments[.output]
        variants = try Self.variants(context)
        folder = try context.outputFolder(standard: .variant)
        guard !arguments[.sync] || output != nil || folder != nil else {
            throw UsageFailure("--sync goes with -o or --output-dir; the cache always waits for the disk")
        }
        synchronizesFiles = try context.isSet(.sync)
        var rendition = try Self.rendition(context)
        guard rendition.backdrop == nil || variants.contains(where: { $0.geometry.mode == .contain }) else {
            throw UsageFailure("--background blur and dominant go with --content-mode contain")
        }
        if let output, !arguments.isGiven(.format) { rendition.format = try Self.format(ofFile: output) }
        var maker = VariantMaker(rendition: rendition, options: try Self.decoding(context))
        maker.metrics = context.metrics
        maker.progress = context.progress
        self.maker = maker
        fallback = try Self.fallback(context, maker.options)
        cache = try context.cacheSettings(needsRoot: output == nil && folder == nil)
        allowedFolders = try Self.allowedFolders(context)
    }

    /// What the work needs beside its pictures and its cache.
    var needs: Needs {
        var needs = Needs()
        needs.drawsText = fallback != nil
        needs.font = fallback?.font
        // Any picture may be of a format whose library is loaded when the first one arrives.
        needs.loadsCodecs = true
        return needs
    }

    /// Decodes the icon of placeholders once, so that one that cannot be used is told before any work. To be called
    /// when the process is confined. Throws `NamedFailure`.
    func checkIcon() throws { try fallback?.icon?.check(options: maker.options) }

    // MARK: What is made

    private static func variants(_ context: ToolContext) throws -> [Variant] {
        let arguments = context.arguments
        var request = VariantRequest()
        request.names = arguments.all(.variant)
        request.widths = arguments[.width]?.values ?? []
        request.height = arguments[.height]
        request.aspectRatio = arguments[.aspectRatio]
        request.fit = arguments[.fit].map { ($0.width, $0.height) }
        if let scales = arguments[.scale] { request.scales = scales.values }
        request.isExact = arguments[.exact]
        request.enlarges = arguments.isGiven(.enlarge) ? arguments[.enlarge] : nil
        request.region = arguments[.region]
        request.quarterTurns = arguments[.rotate] ?? 0
        request.contentMode = arguments[.contentMode]
        switch arguments[.gravity] {
        case .at(let gravity)?: request.gravity = gravity
        case .around(let focus)?: request.focus = focus
        case nil: break
        }
        request.gradient = arguments[.gradient]
        request.cornerRadius = arguments[.cornerRadius]
        var variants = try request.variants(styles: styles(context))
        guard arguments.isGiven(.output) else {
            guard !variants.isEmpty else {
                throw UsageFailure(
                    "say which size: --variant (\(Variant.pager.name), \(Variant.overlay.name) or a style, see"
                        + " img-downsample styles), --fit, --width, or --height")
            }
            return variants
        }
        guard !arguments.isGiven(.outputDir) else { throw UsageFailure("-o and --output-dir cannot be combined") }
        guard arguments.operands.count == 1 else {
            throw UsageFailure(
                "-o takes exactly one picture, not \(arguments.operands.count); use --output-dir for more")
        }
        let ofRecords: [AnyOption] = [.printHash, .incremental, .print, .pretty]
        if let option = ofRecords.first(where: arguments.isGiven) {
            throw UsageFailure(
                "-o writes a picture and no record, so --\(option.name) has no place; use --output-dir")
        }
        if variants.isEmpty { variants = [request.unchanged] }
        guard variants.count == 1 else { throw UsageFailure("-o takes one size; use --output-dir for more") }
        return variants
    }

    /// The styles, those of the configuration file checked.
    static func styles(_ context: ToolContext) throws -> [Style] {
        let configured = try context.configuration.object("styles")
        return try Style.all(configured?.record, path: configured?.path ?? "")
    }

    // MARK: How it is drawn

    private static func rendition(_ context: ToolContext) throws -> Rendition {
        let arguments = context.arguments
        var rendition = Rendition()
        if case .fixed(let format) = arguments[.format] { rendition.format = format }
        rendition.quality = try context.value(.quality) ?? Rendition.standardQuality
        rendition.effort = try context.value(.effort) ?? Rendition.standardEffort
        rendition.chroma = arguments[.chroma] ?? .auto
        switch arguments[.background] {
        case .colour(let colour)?: rendition.background = colour
        case let backdrop?: rendition.backdrop = backdrop
        case nil: break
        }
        rendition.byteLimit = arguments[.fitBytes]
        rendition.isProgressive = arguments[.progressive]
        rendition.isLinear = try context.isSet(.linear)
        let kept = arguments[.metadata]?.words ?? []
        rendition.keepsProfile = kept.contains("profile")
        if kept.contains("copyright") { rendition.metadata = .copyright }
        if kept.contains("exif") { rendition.metadata = .kept }
        rendition.wantsHash = arguments[.printHash]
        rendition.frame = arguments[.frame]
        rendition.framesPerSecond = arguments[.fps]
        return rendition
    }

    private static func fallback(_ context: ToolContext, _ options: DecodeOptions) throws -> Fallback? {
        let arguments = context.arguments
        guard let text = arguments[.fallback] else {
            if arguments.isGiven(.theme) { throw UsageFailure("--theme goes with --fallback") }
            return nil
        }
        var fallback = Fallback(
            message: text.message, theme: arguments[.theme] ?? .light, font: try context.value(.font))
        // Before the run gives up the right to open it.
        fallback.icon = try context.value(.fallbackIcon).map {
            try FallbackIcon(
                path: $0, byteLimit: options.limits.maxInputBytes, interruption: options.interruption)
        }
        return fallback
    }

    /// Returns the format that a file's name stands for. Throws `UsageFailure` if it stands for none.
    static func format(ofFile output: String) throws -> OutputFormat? {
        if output == "-" { return nil }
        let name = output.split(separator: "/").last ?? ""
        let ending = name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? ""
        guard let format = OutputFormat(fileExtension: ending) else {
            let endings = OutputFormat.allCases.map { "." + $0.fileExtension }.joined(separator: ", ")
            throw UsageFailure(
                "cannot tell the format from the name \(output): end it in one of \(endings), or give --format")
        }
        return format
    }

    // MARK: What it may read

    /// The folders of the options, or else those of the environment or the configuration file, which have a colon
    /// between two.
    static func allowedFolders(_ context: ToolContext) throws -> [String] {
        let named = context.arguments.all(.allowPath)
        for folder in named {
            do { _ = try Folder(folder) } catch {
                throw UsageFailure("--allow-path: \(failure(of: error).message)")
            }
        }
        guard named.isEmpty, let (text, source) = try context.text(.allowPath) else { return named }
        let folders = text.split(separator: ":").map(String.init)
        guard folders.allSatisfy({ $0.hasPrefix("/") }) else {
            let place = source == .environment ? "APOD_TOOLS_ALLOW_PATH" : "\"allow_path\" of the configuration file"
            throw ConfigurationFailure("\(place) takes \(AnyOption.allowPath.expected), not \"\(text)\"")
        }
        return folders
    }

    // MARK: What it may cost

    static func decoding(_ context: ToolContext) throws -> DecodeOptions {
        // Here, since a program that holds other tools as well must not do it for those.
        returnLargeBlocks()
        var limits = DecodeLimits.standard
        if let most = try context.value(.maxBytes) { limits.maxInputBytes = most }
        if let most = try context.value(.maxMemory) { limits.maxMemoryBytes = most }
        if let most = try context.value(.maxPixels) { limits.maxPixels = most }
        if let most = try context.value(.maxFrames) { limits.maxFrames = most }
        if let most = try context.value(.maxAnimationPixels) { limits.maxAnimationPixels = most }
        if let seconds = try context.value(.maxSeconds) { limits.maxSeconds = seconds }
        let decoder = try context.value(.decoder) ?? ""
        let damage = context.arguments[.allowDamaged]
        return DecodeOptions(
            limits: limits, interruption: context.interruption, allowsTruncated: damage != nil,
            allowsDamage: damage == .all, quality: DecodeOptions.Quality(rawValue: decoder) ?? .auto,
            decoder: decoder == "libjpeg" ? .libjpeg : .auto)
    }
}
