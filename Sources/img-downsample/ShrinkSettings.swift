import Cache
import Commands
import Formats
import Images
import Placeholders
import Records
import Support
import Variants

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The command line, checked.
struct ShrinkSettings {
    let variants: [Variant]
    let maker: VariantMaker
    let fallback: Fallback?
    /// Where the plain form writes; nil for records.
    let output: String?
    /// What the output's extension says, unless --format says otherwise.
    let outputFormat: OutputFormat?
    let cache: CacheSettings
    /// Folders below which records may name files, beside the tools' own.
    let allowedFolders: [String]
    /// Whether files that are written are waited for until they are on the disk.
    let synchronizesFiles: Bool

    init(_ command: Run, _ context: ToolContext) throws {
        output = command.shrink.output
        variants = try Self.variants(command, context)
        guard command.shrink.nameTemplate == nil || command.shrink.outputDir != nil else {
            throw UsageFailure("--name-template goes with --output-dir")
        }
        let sync = command.fine?.sync ?? false
        guard !sync || output != nil || command.shrink.outputDir != nil else {
            throw UsageFailure("--sync goes with -o or --output-dir; the cache always waits for the disk")
        }
        synchronizesFiles = try context.synchronizes(option: sync)
        let rendition = try Self.rendition(command, context)
        var maker = VariantMaker(rendition: rendition, options: try Self.decoding(command, context))
        maker.metrics = context.metrics
        maker.progress = context.progress
        self.maker = maker
        fallback = try Self.fallback(command)
        outputFormat = try output.flatMap { try command.shrink.format == nil ? Self.format(ofFile: $0) : nil }
        cache = try command.common.cacheSettings(context)
        allowedFolders = try Self.allowedFolders(command, context)
    }

    /// What the work needs beside its pictures and its cache.
    var needs: Needs {
        var needs = Needs()
        needs.drawsText = fallback != nil
        needs.font = fallback?.font
        needs.loadsCodecs = maker.rendition.format == .avif || outputFormat == .avif
        return needs
    }

    // MARK: What is made

    private static func variants(_ command: Run, _ context: ToolContext) throws -> [Variant] {
        var request = VariantRequest()
        request.names = command.shrink.variant
        request.width = try side("width", command.shrink.width)
        request.height = try side("height", command.shrink.height)
        request.aspectRatio = try value(
            "aspect-ratio", command.fine?.aspectRatio, AspectRatio.expected, AspectRatio.read)
        request.fit = try value("fit", command.shrink.fit, "points such as 300x200") { text in
            let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Double($0) ?? .nan }
            guard sides.count == 2, sides.allSatisfy({ (1...20_000).contains($0) }) else { return nil }
            return (width: sides[0], height: sides[1])
        }
        request.scale =
            try value("scale", command.fine?.scale, "pixels for each point, from 1 to 3") { text in
                Double(text).flatMap { (1...3).contains($0) ? $0 : nil }
            } ?? VariantRequest.standardScale
        request.isExact = command.fine?.exact ?? false
        request.enlarges = command.fine?.enlarge ?? false
        request.region = try value(
            "region", command.fine?.region, "X,Y,WIDTH,HEIGHT in pixels or percent, such as 25%,25%,50%,50%",
            Region.init)
        request.quarterTurns =
            try value("rotate", command.fine?.rotate, "90, 180 or 270 degrees clockwise") { text in
                ["0": 0, "90": 1, "180": 2, "270": 3, "-90": 3, "-180": 2, "-270": 1][text]
            } ?? 0
        request.contentMode = try word("content-mode", command.fine?.contentMode)
        request.gravity = try word("gravity", command.fine?.gravity)
        request.gradient = try word("gradient", command.fine?.gradient)
        request.cornerRadius = try value(
            "corner-radius", command.fine?.cornerRadius, "a radius from 0 to 20000"
        ) { text in
            Double(text).flatMap { (0...20_000).contains($0) ? $0 : nil }
        }
        var variants = try request.variants(styles: styles(context))
        guard command.shrink.output != nil else {
            guard !variants.isEmpty else {
                throw UsageFailure(
                    "say which size: --variant (\(Variant.pager.name), \(Variant.overlay.name) or a style, see"
                        + " img-downsample styles), --fit, --width, or --height")
            }
            return variants
        }
        guard command.shrink.outputDir == nil else { throw UsageFailure("-o and --output-dir cannot be combined") }
        guard command.files.count == 1 else {
            throw UsageFailure("-o takes exactly one picture, not \(command.files.count); use --output-dir for more")
        }
        if let option = recordOption(command) {
            throw UsageFailure("-o writes a picture and no record, so that \(option) has no place; use --output-dir")
        }
        if variants.isEmpty { variants = [request.unchanged] }
        guard variants.count == 1 else { throw UsageFailure("-o takes one size; use --output-dir for more") }
        return variants
    }

    /// An option that is about records, if one was given.
    private static func recordOption(_ command: Run) -> String? {
        if command.fine?.printHash ?? false { return "--print-hash" }
        if command.fine?.progressiveRecords ?? false { return "--progressive-records" }
        if command.stream.print != nil { return "--print" }
        return command.stream.pretty ? "--pretty" : nil
    }

    /// The styles, those of the configuration file checked.
    static func styles(_ context: ToolContext) throws -> [Style] {
        let configured = try context.configuration.object("styles")
        return try Style.all(configured?.record, path: configured?.path ?? "")
    }

    // MARK: How it is drawn

    private static func rendition(_ command: Run, _ context: ToolContext) throws -> Rendition {
        var rendition = Rendition()
        if let text = command.shrink.format, text != "auto" {
            guard let format = OutputFormat(rawValue: text == "jpg" ? "jpeg" : text) else {
                let names = ["auto"] + OutputFormat.allCases.map(\.rawValue)
                throw UsageFailure(
                    "--format takes \(names.joined(separator: ", ")), not \"\(text)\""
                        + NearMatch.advice(for: text, among: names))
            }
            rendition.format = format
        }
        rendition.quality =
            try context.setting("quality", option: command.shrink.quality, expected: "a number from 1 to 100") { text in
                Int(text).flatMap { (1...100).contains($0) ? $0 : nil }
            } ?? Rendition.standardQuality
        let background = try value(
            "background", command.fine?.background, "a colour such as #1a2b3c", RGB.init(hex:))
        if let background { rendition.background = background }
        rendition.byteLimit = try value("fit-bytes", command.fine?.fitBytes, "a size such as 100KB") { text in
            ByteCount.parse(text)
        }
        rendition.isProgressive = command.fine?.progressive ?? false
        rendition.isLinear = command.fine?.linear ?? false
        rendition.keepsProfile = command.fine?.keepProfile ?? false
        rendition.wantsHash = command.fine?.printHash ?? false
        if command.fine?.keepCopyright ?? false { rendition.metadata = .copyright }
        if command.fine?.keepMetadata ?? false { rendition.metadata = .kept }
        guard command.fine?.frame == nil || !(command.fine?.poster ?? false) else {
            throw UsageFailure("--frame and --poster cannot be combined")
        }
        if command.fine?.poster ?? false { rendition.frame = 0 }
        if command.fine?.frame != nil {
            rendition.frame = try value("frame", command.fine?.frame, "the number of a frame, counted from 0") { text in
                Int(text).flatMap { (0...1_000_000).contains($0) ? $0 : nil }
            }
        }
        return rendition
    }

    private static func fallback(_ command: Run) throws -> Fallback? {
        let theme: Placeholder.Theme? = try word("theme", command.fine?.theme)
        guard command.fine?.fallback ?? false else {
            guard command.fine?.fallbackMessage == nil, theme == nil, command.fine?.font == nil else {
                throw UsageFailure("--fallback-message, --theme and --font go with --fallback")
            }
            return nil
        }
        return Fallback(message: command.fine?.fallbackMessage, theme: theme ?? .light, font: command.fine?.font)
    }

    /// The format that a file's name stands for. Throws `UsageFailure` where it says none.
    private static func format(ofFile output: String) throws -> OutputFormat? {
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

    /// The folders of the options, or else those of the environment or the configuration file, where a colon stands
    /// between two.
    private static func allowedFolders(_ command: Run, _ context: ToolContext) throws -> [String] {
        if let named = command.fine?.allowPath, !named.isEmpty {
            for folder in named {
                do { _ = try Folder(folder) } catch {
                    throw UsageFailure("--allow-path: \(failure(of: error).message)")
                }
            }
            return named
        }
        return try context.setting(
            "allow-path", option: nil, variable: "APOD_TOOLS_ALLOW_PATH",
            expected: "absolute paths of folders, with a colon between two"
        ) { text in
            let folders = text.split(separator: ":").map(String.init)
            return folders.allSatisfy { $0.hasPrefix("/") } ? folders : nil
        } ?? []
    }

    // MARK: What it may cost

    private static func decoding(_ command: Run, _ context: ToolContext) throws -> DecodeOptions {
        var limits = DecodeLimits.standard
        func bytes(_ name: String, _ option: String?) throws -> Int? {
            try context.setting(name, option: option, expected: "a size such as 64MiB") { ByteCount.parse($0) }
        }
        func count(_ name: String, _ option: String?) throws -> Int? {
            try context.setting(name, option: option, expected: "a number from 1 on") { text in
                Int(text).flatMap { $0 > 0 ? $0 : nil }
            }
        }
        if let most = try bytes("max-bytes", command.fine?.maxBytes) { limits.maxInputBytes = most }
        if let most = try bytes("max-memory", command.fine?.maxMemory) { limits.maxMemoryBytes = most }
        if let most = try count("max-pixels", command.fine?.maxPixels) { limits.maxPixels = most }
        if let most = try count("max-frames", command.fine?.maxFrames) { limits.maxFrames = most }
        if let most = try count("max-animation-pixels", command.fine?.maxAnimationPixels) {
            limits.maxAnimationPixels = most
        }
        let seconds = try context.setting(
            "max-seconds", option: command.fine?.maxSeconds, expected: "seconds, such as 60 or 0.5"
        ) { text in
            Double(text).flatMap { (0.001...86_400).contains($0) ? $0 : nil }
        }
        if let seconds { limits.maxSeconds = seconds }
        let quality: DecodeOptions.Quality? = try word("quality-decode", command.fine?.qualityDecode)
        return DecodeOptions(
            limits: limits, interruption: context.interruption, allowsTruncated: command.fine?.allowTruncated ?? false,
            quality: quality ?? .fast)
    }

    // MARK: Reading values

    /// JPEG, which ends at 65535, has the largest sides.
    private static func side(_ name: String, _ text: String?) throws -> Int? {
        try value(name, text, "pixels from 1 to 65535") { text in
            Int(text).flatMap { (1...65_535).contains($0) ? $0 : nil }
        }
    }

    private static func value<Value>(
        _ name: String, _ text: String?, _ expected: String, _ parse: (String) throws -> Value?
    ) throws -> Value? {
        guard let text else { return nil }
        guard let value = try parse(text) else {
            throw UsageFailure("--\(name) takes \(expected), not \"\(text)\"")
        }
        return value
    }

    /// One of an enumeration's words.
    private static func word<Value: RawRepresentable & CaseIterable>(_ name: String, _ text: String?) throws -> Value?
    where Value.RawValue == String {
        guard let text else { return nil }
        if let value = Value(rawValue: text) { return value }
        let words = Value.allCases.map(\.rawValue)
        throw UsageFailure(
            "--\(name) takes \(words.joined(separator: ", ")), not \"\(text)\""
                + NearMatch.advice(for: text, among: words))
    }
}

/// What a FILE argument turns out to be.
enum PictureInput {
    case file(File)
    case bytes([UInt8])
    /// Standard input begins like JSON.
    case records

    /// Opens the file, or reads standard input for `-`. What is no file on a disk is read whole.
    init(_ argument: String, limit: Int) throws {
        let isStandardInput = argument == "-"
        let file =
            try isStandardInput
            ? File(descriptor: 0, path: "standard input", closes: false) : File.openInput(argument)
        guard isStandardInput || !file.isRegular else {
            self = .file(file)
            return
        }
        // Enough to tell JSON from a picture, so that nobody waits for the end of a stream of records.
        let head = try file.contents(atMost: 64)
        if isStandardInput, Self.beginsAsJSON(head) {
            self = .records
            return
        }
        let bytes = try head + file.contents(atMost: limit)
        guard bytes.count <= limit else { throw ImageError.tooManyBytes(bytes.count, limit: limit) }
        self = .bytes(bytes)
    }

    private static func beginsAsJSON(_ bytes: [UInt8]) -> Bool {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let first = text.first { $0 > 0x20 }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}
