import ArgumentParser
import Cache
import Commands
import Records
import Support

struct PinCommand: ParsableCommand, LookupCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Keep pictures from being trimmed or cleaned away.",
        discussion: """
            They still expire, and are asked for anew then. A picture that is not in the cache gives a record with an \
            error, and status 1.

            EXAMPLES
              img-cache put https://example.org/m31.jpg | img-cache pin
              img-cache pin --key my-photo
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var keys: KeyOptions

    @Argument(help: ArgumentHelp("Addresses, or files that were put; - for records.", valueName: "pictures"))
    var pictures: [String] = []
    @OptionGroup var stream: StreamOptions

    var needs: Needs { Needs() }

    func run() throws { try runPinning(true, stream) }
}

struct UnpinCommand: ParsableCommand, LookupCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin",
        abstract: "Let pictures be trimmed and cleaned away again.",
        discussion: """
            EXAMPLES
              img-cache unpin https://example.org/m31.jpg
              img-cache ls --pinned --json | img-cache unpin --key-field cache.key
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var keys: KeyOptions

    @Argument(help: ArgumentHelp("Addresses, or files that were put; - for records.", valueName: "pictures"))
    var pictures: [String] = []
    @OptionGroup var stream: StreamOptions

    var needs: Needs { Needs() }

    func run() throws { try runPinning(false, stream) }
}

extension LookupCommand {
    fileprivate func runPinning(_ isPinned: Bool, _ stream: some StreamArguments) throws {
        let (context, caches, rules) = try open()
        let status = try context.run(
            PinTool(caches: caches, rules: rules, isPinned: isPinned), options: try stream.runOptions(context, jobs: 1),
            arguments: named, expecting: "addresses or files", job: pictureJob)
        caches.close()
        try end(with: status)
    }
}
