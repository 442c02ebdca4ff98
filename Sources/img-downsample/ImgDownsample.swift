import ArgumentParser
import Cache
import Commands
import Images
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

@main
struct ImgDownsample: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "img-downsample",
        abstract: "Shrink pictures, fast and faithfully.",
        discussion: """
            Records with a `path` come in on standard input and leave with `variants` added; the variants are kept in \
            the cache, or go to --output-dir. A single file can be shrunk to another with -o.

            VARIANTS
              pager    fits 1024x1024
              overlay  fits 2048x2048
              custom   what --width and --height say
            Pictures are never made larger, turned upright, and freed of metadata.

            EXAMPLES
              apod-fetch --date | img-cache put | img-downsample --variant overlay
              img-downsample m31.jpg --width 800 -o small.jpg
              img-downsample *.jpg --variant pager --output-dir thumbs --format webp
              curl -s https://example.org/m31.jpg | img-downsample - --height 200 -o - > small.jpg
              img-downsample --variant pager,overlay --print variants.pager.path < cached.ndjson

            EXIT STATUS
              0 all done, 64 usage, 65 not a picture or damaged, 66 no such file, 70 fault of the tool,
              73/74 cannot write, 77 over a limit, 78 configuration.
            """,
        version: toolsVersion)

    static func main() { runTool(Self.self) }

    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions

    @Option(help: ArgumentHelp("Variants to make: pager, overlay; repeatable, or a list with commas.", valueName: "names"))
    var variant: [String] = []

    @Option(help: ArgumentHelp("Columns at most.", valueName: "pixels"))
    var width: String?

    @Option(help: ArgumentHelp("Rows at most.", valueName: "pixels"))
    var height: String?

    @Option(help: ArgumentHelp("auto (as the source), jpeg, png or webp.", valueName: "format"))
    var format: String?

    @Option(help: ArgumentHelp("1 to 100 (82).", valueName: "n"))
    var quality: String?

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
        let tool = settings.tool(.cache(caches(settings, context)), context)
        let source: any ByteSource
        switch try PictureInput(files[0]) {
        case .bytes(let bytes): source = MemorySource(bytes)
        case .file(let file): source = file
        case .records: throw UsageFailure("-o takes a single picture; use --output-dir for records")
        }
        do {
            try context.interruption.during {
                if target == "-" {
                    let output = try File(descriptor: 1, path: "standard output", closes: false)
                    try tool.shrink(source, settings.variants[0]) { try output.write($0) }
                } else {
                    let output = try OutputFile(path: target)
                    try tool.shrink(source, settings.variants[0], as: settings.outputFormat) { try output.write($0) }
                    try output.commit()
                }
            }
        } catch let failure as SystemFailure where failure.isBrokenPipe {
            return 0
        } catch is Cancelled {
            context.interruption.endIfSignalled()
        } catch let failure as any Failure {
            throw failure is SystemFailure ? failure : PictureFailure(path: files[0], reason: failure)
        }
        return 0
    }

    private func shrinkAll(_ settings: ShrinkSettings, _ context: ToolContext) throws -> Int32 {
        let caches = caches(settings, context)
        let destination: ShrinkTool.Destination
        if let outputDir {
            try makeFolder(outputDir)
            destination = .folder(
                try OutputNaming(folder: outputDir, template: nameTemplate ?? OutputNaming.standardTemplate))
        } else {
            destination = .cache(caches)
        }
        let status = try context.run(
            settings.tool(destination, context),
            options: try stream.runOptions(context, jobs: max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))),
            arguments: files, expecting: "pictures"
        ) { RecordJob(Record(), argument: $0) }
        caches.close()
        return status
    }

    private func caches(_ settings: ShrinkSettings, _ context: ToolContext) -> ScopedCaches {
        ScopedCaches(settings: settings.cache, log: context.log, interruption: context.interruption)
    }
}
