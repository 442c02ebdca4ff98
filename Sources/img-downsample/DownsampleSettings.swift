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

/// The options of the command line, after they have been checked.
struct DownsampleSettings {
    let variants: [Variant]
    let maker: VariantMaker
    let fallback: Fallback?
    /// The file that `-o` names, or nil to write records.
    let output: String?
    var cache: CacheSettings
    /// The folders, in addition to the cache, whose files records may name.
    let allowedFolders: [String]
    /// The folder that `--output-dir` names, or nil.
    let folder: OutputFolder?
    /// Whether the file that `-o` names is synced to disk.
    let synchronizesFiles: Bool

    init(_ context: ToolContext) throws {
        let arguments = context.arguments
        output = arguments[.output]
        variants = try Self.variants(context)
        folder = try context.outputFolder(standard: .variant)
        synchronizesFiles = try context.value(.sync)
        var encodeSettings = try Self.encodeSettings(context)
        guard encodeSettings.backdrop == nil || variants.contains(where: { $0.geometry.mode == .contain }) else {
            throw UsageFailure("--background blur and dominant require --content-mode contain")
        }
        if let output, !arguments.isGiven(.format) { encodeSettings.format = try Self.format(ofFile: output) }
        var maker = VariantMaker(encodeSettings: encodeSettings, options: try Self.decoding(context))
        maker.metrics = context.metrics
        maker.progress = context.progress
        self.maker = maker
        fallback = try Self.fallback(context, maker.options)
        cache = try context.cacheSettings(needsRoot: output == nil && folder == nil)
        allowedFolders = try Self.allowedFolders(context)
    }

    /// The rights that the command needs with and without `-o`. The caller adds the rights for the pictures and the
    /// output.
    var requirements: SandboxRequirements {
        var requirements = SandboxRequirements()
        requirements.drawsText = fallback != nil
        requirements.font = fallback?.font
        // Any picture may need a codec, which is loaded on first use.
        requirements.loadsCodecs = true
        return requirements
    }

    /// Decodes the icon of placeholders, so that an unusable icon is reported before any other work. Must be called
    /// after confinement, because the icon is untrusted. Throws `NamedFailure`.
    func checkIcon() throws { try fallback?.icon?.check(options: maker.options) }

    // MARK: Variants

    private static func variants(_ context: ToolContext) throws -> [Variant] {
        let arguments = context.arguments
        var request = VariantRequest()
        request.names = arguments.all(.variant)
        request.widths = arguments[.width]?.values ?? []
        request.height = arguments[.height]
        request.aspectRatio = arguments[.aspectRatio]
        request.fit = arguments[.fit].map { ($0.width, $0.height) }
        request.scales = arguments[.scale].values
        request.isExact = arguments[.exact]
        request.enlarges = arguments.isGiven(.enlarge) ? arguments[.enlarge] : nil
        request.region = arguments[.region]
        if let turns = arguments[.rotate] { request.quarterTurns = turns }
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
                    "no size; use --variant (\(Variant.pager.name), \(Variant.overlay.name) or a style, see"
                        + " img-downsample styles), --fit, --width, --height or --aspect-ratio")
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
            throw UsageFailure("-o writes no record, so --\(option.name) cannot be used; use --output-dir")
        }
        if variants.isEmpty { variants = [request.unchanged] }
        guard variants.count == 1 else { throw UsageFailure("-o takes one size; use --output-dir for more") }
        return variants
    }

    /// Returns the built-in styles and the styles of the configuration file. Throws `ConfigurationFailure`.
    static func styles(_ context: ToolContext) throws -> [Style] {
        let configured = try context.configuration.object("styles")
        return try Style.all(configured?.record, path: configured?.path ?? "")
    }

    // MARK: Drawing and encoding

    /// Returns the settings that the commands for variants and galleries have in common.
    static func baseEncodeSettings(_ context: ToolContext) throws -> EncodeSettings {
        var encodeSettings = EncodeSettings(quality: try context.value(.quality), effort: try context.value(.effort))
        if case .fixed(let format) = context.arguments[.format] { encodeSettings.format = format }
        encodeSettings.chroma = context.arguments[.chroma]
        return encodeSettings
    }

    private static func encodeSettings(_ context: ToolContext) throws -> EncodeSettings {
        let arguments = context.arguments
        var encodeSettings = try baseEncodeSettings(context)
        if arguments.isGiven(.background) {
            switch arguments[.background] {
            case .colour(let colour): encodeSettings.background = colour
            case let backdrop: encodeSettings.backdrop = backdrop
            }
        }
        encodeSettings.byteLimit = arguments[.fitBytes]
        encodeSettings.isProgressive = arguments[.progressive]
        encodeSettings.isLinear = try context.value(.linear)
        let kept = arguments[.metadata]?.words ?? []
        encodeSettings.keepsProfile = kept.contains("profile")
        if kept.contains("copyright") { encodeSettings.metadata = .copyright }
        if kept.contains("exif") { encodeSettings.metadata = .kept }
        encodeSettings.wantsHash = arguments[.printHash]
        encodeSettings.frame = arguments[.frame]
        encodeSettings.framesPerSecond = arguments[.fps]
        return encodeSettings
    }

    private static func fallback(_ context: ToolContext, _ options: DecodeOptions) throws -> Fallback? {
        let arguments = context.arguments
        guard let text = arguments[.fallback] else {
            if arguments.isGiven(.theme) { throw UsageFailure("--theme requires --fallback") }
            return nil
        }
        var fallback = Fallback(message: text.message, theme: arguments[.theme], font: try context.value(.font))
        // Read the icon now, because the process will drop the right to open it.
        fallback.icon = try context.value(.fallbackIcon).map {
            try FallbackIcon(path: $0, byteLimit: options.limits.maxInputBytes, interruption: options.interruption)
        }
        return fallback
    }

    /// Returns the format for the extension of a file name, or nil for `-`. Throws `UsageFailure` for an unknown
    /// extension.
    static func format(ofFile output: String) throws -> OutputFormat? {
        if output == "-" { return nil }
        let name = output.split(separator: "/").last ?? ""
        let ending = name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? ""
        guard let format = OutputFormat(fileExtension: ending) else {
            let endings = OutputFormat.allCases.map { "." + $0.fileExtension }.joined(separator: ", ")
            throw UsageFailure(
                "cannot infer the format from the name \(output); use an extension (\(endings)) or --format")
        }
        return format
    }

    // MARK: Allowed files

    /// Returns the folders that `--allow-path` names. Without the option, returns the folders that the environment or
    /// the configuration file names, separated by colons.
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

    // MARK: Limits

    static func decoding(_ context: ToolContext) throws -> DecodeOptions {
        // Change the allocator here rather than at start-up, because the other tools in the same executable share the
        // start-up.
        returnLargeBlocks()
        let limits = DecodeLimits(
            maxPixels: try context.value(.maxPixels), maxInputBytes: try context.value(.maxBytes),
            maxMemoryBytes: try context.value(.maxMemory), maxFrames: try context.value(.maxFrames),
            maxAnimationPixels: try context.value(.maxAnimationPixels), maxSeconds: try context.value(.maxSeconds))
        let decoder = try context.value(.decoder)
        let damage = context.arguments[.allowDamaged]
        return DecodeOptions(
            limits: limits, interruption: context.interruption, allowsTruncated: damage != nil,
            allowsDamage: damage == .all, quality: DecodeOptions.Quality(rawValue: decoder) ?? .auto,
            decoder: decoder == "libjpeg" ? .libjpeg : .auto)
    }
}
