import ArgumentParser
import Cache
import Commands
import Images
import Records
import Support
import Variants

@main
struct ImgDownsample: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "img-downsample",
        abstract: "Shrink pictures, fast and faithfully.",
        discussion: """
            Records with a `path` come in on standard input and leave with `variants` added; the variants are kept in \
            the cache, or go to --output-dir. A single file can be shrunk to another with -o. Pictures leave upright, \
            in sRGB, without metadata, and are never made larger, unless told otherwise.

            VARIANTS
              pager    fits 1024x1024
              overlay  fits 2048x2048
              fit      what --fit says in points, rounded up to 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072
                       or 4096 pixels on the long side, so that near sizes share a variant; --exact does not round
              custom   what --width, --height and --aspect-ratio say in pixels; --variant custom is a style in points
            and styles of cards: launch-card, detail-view, rocket-card, preference-view, and those of the configuration \
            file's `styles`. `img-downsample styles` lists them all; a file of that name is ./styles.

            EXAMPLES
              apod-fetch --date | img-cache put | img-downsample --variant overlay
              img-downsample m31.jpg --width 800 -o small.jpg
              img-downsample m31.jpg --width 400 --aspect-ratio 1:1 --gravity attention -o square.jpg
              img-downsample m31.jpg --region 40%,40%,20%,20% --width 1024 -o core.jpg
              img-downsample *.jpg --variant pager,launch-card --output-dir thumbs --format webp
              img-downsample dance.gif --variant rocket-card --poster -o first.png
              curl -s https://example.org/m31.jpg | img-downsample - --height 200 -o - > small.jpg
              img-downsample --variant pager,overlay --print variants.pager.path < cached.ndjson
              apod-fetch --date | img-cache put | img-downsample --variant launch-card --fallback --theme dark

            EXIT STATUS
              0 all done, 64 usage, 65 not a picture or damaged, 66 no such file,
              69 a library is missing, 70 fault of the tool, 73/74 cannot write,
              75 may work later, 77 over a limit, 78 configuration.
            """,
        version: toolsVersion)

    static func main() {
        returnLargeBlocks()
        // A word in place of the first file: a subcommand beside files would make every one of them a guess.
        let arguments = ProgramArguments.ofProcess()
        if arguments.first == "styles" {
            runTool(StylesCommand.self, arguments: Array(arguments.dropFirst()))
        }
        runTool(
            Self.self,
            quick: { line in
                guard let command = try? QuickCommand.parse(line) else { return nil }
                return { try command.run() }
            }, arguments: arguments)
    }

    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions
    @OptionGroup var shrink: ShrinkOptions
    @OptionGroup var fine: FineOptions

    @Argument(help: "Pictures; - is standard input: records, or with -o the bytes of a picture.")
    var files: [String] = []

    func run() throws {
        try Run(common: common, stream: stream, shrink: shrink, fine: fine, files: files).run()
    }
}

/// The same without the options that few calls have, for which alone it is tried first.
private struct QuickCommand: ParsableCommand, CommonArguments, StreamArguments {
    /// ArgumentParser looks in every line for the wish for a completion script, by parsing two more commands before
    /// this one; it leaves that out for a command that is said to be below another. A wish for one is for the whole.
    static let configuration = CommandConfiguration(commandName: "img-downsample", _superCommandName: "")

    @Flag(name: .shortAndLong) var quiet = false
    @Option var cacheDir: String?
    @Option var scope: String?
    @Option(name: [.customShort("j", allowingJoined: true), .long]) var jobs: String?
    @Option var print: String?
    @OptionGroup var shrink: ShrinkOptions

    @Argument(help: "Pictures; - is standard input: records, or with -o the bytes of a picture.")
    var files: [String] = []

    func run() throws {
        try Run(common: self, stream: self, shrink: shrink, fine: nil, files: files).run()
    }
}

/// What is done once the command line has been read.
struct Run {
    let common: any CommonArguments
    let stream: any StreamArguments
    let shrink: ShrinkOptions
    /// Nil where none of them was given.
    let fine: FineOptions?
    let files: [String]

    func run() throws {
        let context = try common.context(tool: "img-downsample")
        defer { context.progress.end() }
        let settings = try ShrinkSettings(self, context)
        let status =
            try settings.output.map { try shrinkOne(to: $0, settings, context) } ?? shrinkAll(settings, context)
        try end(with: status)
    }

    /// The plain form: one picture in, one out, no record.
    private func shrinkOne(to target: String, _ settings: ShrinkSettings, _ context: ToolContext) throws -> Int32 {
        var needs = settings.needs
        needs.inputs = files
        needs.outputs = [target]
        needs.usesCache = false
        context.confine(settings.cache, needs)
        try context.interruption.catchSignals()
        context.progress.expect(records: 1)
        do {
            try context.interruption.during {
                switch try PictureInput(files[0], limit: settings.maker.options.limits.maxInputBytes) {
                case .bytes(let bytes): try make(MemorySource(bytes), target, settings)
                case .file(let file): try make(file, target, settings)
                case .records: throw UsageFailure("-o takes a single picture; use --output-dir for records")
                }
            }
        } catch let failure as SystemFailure where failure.isBrokenPipe {
            return 0
        } catch is Cancelled {
            context.interruption.endIfSignalled()
        } catch let failure as any Failure {
            let failure = PictureFailure.naming(files[0], failure)
            // Where the output cannot be written, a placeholder cannot either.
            if let fallback = settings.fallback, failure is PictureFailure || failure.exitCode == .noInput {
                try draw(fallback, failure, target, settings, context)
            }
            throw failure
        }
        return 0
    }

    /// Writes a placeholder in place of the one picture.
    private func draw(
        _ fallback: Fallback, _ failure: any Failure, _ target: String, _ settings: ShrinkSettings,
        _ context: ToolContext
    ) throws {
        let placeholder = fallback.placeholder(for: Record(), failure)
        let file = target == "-" ? nil : try OutputFile(path: target)
        let output = try file == nil ? File(descriptor: 1, path: "standard output", closes: false) : nil
        let request = VariantMaker.Request(settings.variants[0], format: settings.outputFormat) {
            try file?.write($0)
            try output?.write($0)
        }
        for warning in try settings.maker.draw(placeholder, request).warnings { context.log.warning(warning) }
        try file?.commit(synchronized: settings.synchronizesFiles)
    }

    private func make(_ source: some ByteSource, _ target: String, _ settings: ShrinkSettings) throws {
        let info = try inspect(source, limits: settings.maker.options.limits)
        let variant = settings.variants[0]
        if target == "-" {
            let output = try File(descriptor: 1, path: "standard output", closes: false)
            // Held back where a placeholder could follow: it must not stand behind the beginning of the picture.
            var held: [UInt8] = []
            let request = VariantMaker.Request(variant) { [holds = settings.fallback != nil] bytes in
                if holds { held.append(contentsOf: bytes) } else { try output.write(bytes) }
            }
            try settings.maker.make(source, info, [request]) { _, _ in }
            try output.write(held)
        } else {
            let output = try OutputFile(path: target)
            let request = VariantMaker.Request(variant, format: settings.outputFormat) { try output.write($0) }
            try settings.maker.make(source, info, [request]) { _, _ in }
            try output.commit(synchronized: settings.synchronizesFiles)
        }
    }

    private func shrinkAll(_ settings: ShrinkSettings, _ context: ToolContext) throws -> Int32 {
        let caches = Caches(
            settings: settings.cache, log: context.log, metrics: context.metrics, interruption: context.interruption)
        let destination: ShrinkTool.Destination
        var folders = settings.cache.folders + settings.allowedFolders
        var needs = settings.needs
        needs.inputs = files + settings.allowedFolders
        if let outputDir = shrink.outputDir {
            try makeFolder(outputDir, synchronized: settings.synchronizesFiles)
            folders.append(outputDir)
            needs.folders = [outputDir]
            needs.changesCache = false
            destination = .folder(
                try OutputNaming(folder: outputDir, template: shrink.nameTemplate ?? OutputNaming.standardTemplate))
        } else {
            destination = .cache
        }
        let options = try stream.runOptions(context, jobs: SpareThreads.processors)
        context.confine(settings.cache, needs)
        var maker = settings.maker
        maker.options.spareThreads = SpareThreads(options.jobs)
        let tool = ShrinkTool(
            variants: settings.variants, maker: maker, destination: destination, caches: caches,
            pathGuard: PathGuard(folders: folders), emitsEach: fine?.progressiveRecords ?? false,
            fallback: settings.fallback, synchronizesFiles: settings.synchronizesFiles, log: context.log)
        let status = try context.run(tool, options: options, arguments: files, expecting: "pictures") {
            RecordJob(Record(), argument: $0)
        }
        caches.close()
        return status
    }
}
