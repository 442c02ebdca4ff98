import ArgumentParser
import Cache
import Commands
import HTTP
import Records
import Support

struct GetCommand: ParsableCommand, LookupCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Say where pictures lie, without the network.",
        discussion: """
            A picture that is not in the cache gives a record with an error, and status 1.

            EXAMPLES
              img-cache get https://example.org/m31.jpg --print path
              img-cache get < records.ndjson
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var keys: KeyOptions

    @Argument(help: ArgumentHelp("Addresses, or files that were put.", valueName: "pictures"))
    var pictures: [String] = []
    @OptionGroup var stream: StreamOptions

    func run() throws { try get(stream) }
}

struct HasCommand: ParsableCommand, LookupCommand {
    static let configuration = CommandConfiguration(
        commandName: "has",
        abstract: "Tell by the exit status whether pictures are there: 0 all, 1 not all.",
        discussion: """
            EXAMPLES
              img-cache has https://example.org/m31.jpg && echo "no need to fetch"
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var keys: KeyOptions

    @Argument(help: ArgumentHelp("Addresses, or files that were put.", valueName: "pictures"))
    var pictures: [String] = []

    func run() throws { try has() }
}

struct PathCommand: ParsableCommand, LookupCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Print where pictures lie, one path a line.",
        discussion: """
            EXAMPLES
              feh "$(img-cache path https://example.org/m31.jpg)"
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var keys: KeyOptions

    @Argument(help: ArgumentHelp("Addresses, or files that were put.", valueName: "pictures"))
    var pictures: [String] = []

    @Flag(name: [.customShort("0"), .customLong("null")], help: "End each path by NUL instead of a line feed.")
    var nullTerminated = false

    func run() throws { try printPaths(nullTerminated: nullTerminated) }
}

struct CatCommand: ParsableCommand, LookupCommand {
    static let configuration = CommandConfiguration(
        commandName: "cat",
        abstract: "Write the bytes of pictures to standard output.",
        discussion: """
            EXAMPLES
              img-cache cat https://example.org/m31.jpg > m31.jpg
              img-cache cat https://example.org/m31.jpg | img-downsample - --width 800 -o small.jpg
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var keys: KeyOptions

    @Argument(help: ArgumentHelp("Addresses, or files that were put.", valueName: "pictures"))
    var pictures: [String] = []

    func run() throws { try cat() }
}

/// What the commands above do, whichever of their options were declared.
extension LookupCommand {
    func get(_ stream: some StreamArguments) throws {
        let (context, caches, rules) = try open()
        let status = try context.run(
            GetTool(caches: caches, rules: rules), options: try stream.runOptions(context, jobs: 1),
            arguments: named, expecting: "addresses", job: pictureJob)
        caches.close()
        try end(with: status)
    }

    func has() throws {
        try keys.requireNoRecords()
        let (context, caches, rules) = try open()
        guard !named.isEmpty else { throw UsageFailure("name at least one address or file") }
        for picture in named {
            do {
                _ = try caches.find(Record(), argument: picture, rules: rules)
            } catch let failure as any Failure where failure.exitCode == .absent || failure.exitCode == .noInput {
                context.log.detail(failure.message)
                caches.close()
                try end(with: Support.ExitCode.absent.rawValue)
            }
        }
        caches.close()
    }

    func printPaths(nullTerminated: Bool) throws {
        let output = try File(descriptor: 1, path: "standard output", closes: false)
        try forEachEntry { entry, _ in
            try output.write(Array(entry.path.utf8) + [nullTerminated ? 0 : UInt8(ascii: "\n")])
        }
    }

    func cat() throws {
        let output = try PictureOutput(example: "m31.jpg")
        try forEachEntry { entry, _ in try output.copy(entry.path) }
    }
}

/// The job that an argument stands for: a record with the address, so that later tools know it, but without its
/// secrets, which belong in no record; a file or a key has none.
func pictureJob(_ argument: String) -> RecordJob {
    var record = Record()
    if argument.hasScheme, !argument.hasPrefix("file:///") {
        record.set("url", .string(WebURL.withoutSecrets(argument)))
    }
    return RecordJob(record, argument: argument)
}
