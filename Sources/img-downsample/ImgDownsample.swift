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
              0 all done, 64 usage, 65 not a picture or damaged, 66 no such file, 69 a library is missing,
              70 fault of the tool, 73/74 cannot write, 75 may work later, 77 over a limit, 78 configuration.
            """,
        version: toolsVersion)

    static func main() {
        // A word in place of the first file: a subcommand beside files would make every one of them a guess.
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "styles" {
            runTool(StylesCommand.self, arguments: Array(arguments.dropFirst()))
        }
        runTool(Self.self, arguments: arguments)
    }

    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions

    @Option(help: ArgumentHelp("Variants and styles to make; repeatable, or a list with commas.", valueName: "names"))
    var variant: [String] = []

    @Option(help: ArgumentHelp("Columns at most.", valueName: "pixels"))
    var width: String?

    @Option(help: ArgumentHelp("Rows at most.", valueName: "pixels"))
    var height: String?

    @Option(help: ArgumentHelp("Width to height, such as 16:9, for the side that is not given.", valueName: "ratio"))
    var aspectRatio: String?

    @Option(help: ArgumentHelp("Cover this box of points, such as 300x200.", valueName: "size"))
    var fit: String?

    @Option(help: ArgumentHelp("Pixels for each point of --fit and of styles, 1 to 3 (2).", valueName: "factor"))
    var scale: String?

    @Flag(help: "Do not round --fit.")
    var exact = false

    @Flag(help: "Make small pictures larger.")
    var enlarge = false

    @Option(help: ArgumentHelp("fit (show all), fill (cut what stands over) or force (stretch).", valueName: "mode"))
    var contentMode: String?

    @Option(help: ArgumentHelp("What fill keeps: center, north, northeast ... northwest, attention, entropy.", valueName: "where"))
    var gravity: String?

    @Option(help: ArgumentHelp("Look at this part alone: X,Y,WIDTH,HEIGHT of the upright picture, in pixels or percent.", valueName: "region"))
    var region: String?

    @Option(help: ArgumentHelp("Turn clockwise by 90, 180 or 270 degrees, before anything is measured.", valueName: "degrees"))
    var rotate: String?

    @Option(help: ArgumentHelp("Darken towards the bottom: standard, enhanced (up to the middle) or none.", valueName: "kind"))
    var gradient: String?

    @Option(help: ArgumentHelp("Round the corners: points for styles, else pixels.", valueName: "radius"))
    var cornerRadius: String?

    @Option(help: ArgumentHelp("What lies under transparent pixels where the format has none (#ffffff).", valueName: "colour"))
    var background: String?

    @Option(help: ArgumentHelp("auto (as the source), jpeg, png, webp, avif or gif.", valueName: "format"))
    var format: String?

    @Option(help: ArgumentHelp("1 to 100 (82).", valueName: "n"))
    var quality: String?

    @Option(help: ArgumentHelp("Lower the quality until it fits, such as 100KB.", valueName: "size"))
    var fitBytes: String?

    @Flag(help: "Write JPEG in scans, PNG interlaced.")
    var progressive = false

    @Flag(help: "Mix colours in linear light.")
    var linear = false

    @Flag(help: "Keep colours in their profile and embed it, instead of sRGB.")
    var keepProfile = false

    @Flag(help: "Keep EXIF and XMP, where the picture was taken included.")
    var keepMetadata = false

    @Flag(help: "Keep copyright and artist alone.")
    var keepCopyright = false

    @Flag(help: "Add the dominant colour and a ThumbHash to each variant.")
    var printHash = false

    @Flag(help: "Show the first frame of an animation alone.")
    var poster = false

    @Option(help: ArgumentHelp("Show this frame of an animation alone, counted from 0.", valueName: "n"))
    var frame: String?

    @Flag(help: "Take what there is of pictures that end too early.")
    var allowTruncated = false

    @Option(help: ArgumentHelp("fast (leave out what a small output would not show) or full.", valueName: "quality"))
    var qualityDecode: String?

    @Flag(help: "Draw a placeholder where there is no picture.")
    var fallback = false

    @Option(help: ArgumentHelp("What the placeholder says.", valueName: "text"))
    var fallbackMessage: String?

    @Option(help: ArgumentHelp("The placeholder's colours: light or dark.", valueName: "theme"))
    var theme: String?

    @Option(help: ArgumentHelp("The placeholder's font: a file or a family.", valueName: "font"))
    var font: String?

    @Flag(help: "Write a record each time a variant is done, the picture's thumbnail first.")
    var progressiveRecords = false

    @Option(help: ArgumentHelp("Bytes of a picture (256MiB).", valueName: "size"))
    var maxBytes: String?

    @Option(help: ArgumentHelp("Pixels of a picture (400 million).", valueName: "n"))
    var maxPixels: String?

    @Option(help: ArgumentHelp("Frames of an animation (2000).", valueName: "n"))
    var maxFrames: String?

    @Option(help: ArgumentHelp("Pixels times frames of an animation (4000 million).", valueName: "n"))
    var maxAnimationPixels: String?

    @Option(help: ArgumentHelp("Memory for pictures in all (1GiB).", valueName: "size"))
    var maxMemory: String?

    @Option(help: ArgumentHelp("Seconds for a picture (60).", valueName: "n"))
    var maxSeconds: String?

    @Option(name: [.customShort("o"), .customLong("output")], help: ArgumentHelp("Write the one picture here; - is standard output.", valueName: "file"))
    var output: String?

    @Option(help: ArgumentHelp("Write variants into this folder, which is made where it is missing.", valueName: "folder"))
    var outputDir: String?

    @Option(help: ArgumentHelp("Names in --output-dir, of {stem}, {variant}, {ext}, {width}, {height} and {date}.", valueName: "template"))
    var nameTemplate: String?

    @Argument(help: "Pictures; - is standard input: picture bytes, or records.")
    var files: [String] = []

    func run() throws {
        let context = try common.context(tool: "img-downsample")
        let settings = try ShrinkSettings(self, context)
        let status = try settings.output.map { try shrinkOne(to: $0, settings, context) } ?? shrinkAll(settings, context)
        try end(with: status)
    }

    /// The plain form: one picture in, one out, no record.
    private func shrinkOne(to target: String, _ settings: ShrinkSettings, _ context: ToolContext) throws -> Int32 {
        try context.interruption.catchSignals()
        let source: any ByteSource
        switch try PictureInput(files[0], limit: settings.maker.options.limits.maxInputBytes) {
        case .bytes(let bytes): source = MemorySource(bytes)
        case .file(let file): source = file
        case .records: throw UsageFailure("-o takes a single picture; use --output-dir for records")
        }
        do {
            try context.interruption.during { try make(source, target, settings) }
        } catch let failure as SystemFailure where failure.isBrokenPipe {
            return 0
        } catch is Cancelled {
            context.interruption.endIfSignalled()
        } catch let failure as any Failure {
            let failure = failure is SystemFailure ? failure : PictureFailure(path: files[0], reason: failure)
            if let fallback = settings.fallback { try draw(fallback, failure, target, settings, context) }
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
        try file?.commit()
    }

    private func make(_ source: some ByteSource, _ target: String, _ settings: ShrinkSettings) throws {
        let info = try inspect(source, limits: settings.maker.options.limits)
        let variant = settings.variants[0]
        if target == "-" {
            let output = try File(descriptor: 1, path: "standard output", closes: false)
            try settings.maker.make(source, info, [VariantMaker.Request(variant) { try output.write($0) }]) { _, _ in }
        } else {
            let output = try OutputFile(path: target)
            let request = VariantMaker.Request(variant, format: settings.outputFormat) { try output.write($0) }
            try settings.maker.make(source, info, [request]) { _, _ in }
            try output.commit()
        }
    }

    private func shrinkAll(_ settings: ShrinkSettings, _ context: ToolContext) throws -> Int32 {
        let caches = ScopedCaches(settings: settings.cache, log: context.log, interruption: context.interruption)
        let destination: ShrinkTool.Destination
        if let outputDir {
            try makeFolder(outputDir)
            destination = .folder(
                try OutputNaming(folder: outputDir, template: nameTemplate ?? OutputNaming.standardTemplate))
        } else {
            destination = .cache(caches)
        }
        let options = try stream.runOptions(context, jobs: SpareThreads.processors)
        var maker = settings.maker
        maker.options.spareThreads = SpareThreads(options.jobs)
        let tool = ShrinkTool(
            variants: settings.variants, maker: maker, destination: destination,
            emitsEach: progressiveRecords, fallback: settings.fallback, log: context.log)
        let status = try context.run(tool, options: options, arguments: files, expecting: "pictures") {
            RecordJob(Record(), argument: $0)
        }
        caches.close()
        return status
    }
}
