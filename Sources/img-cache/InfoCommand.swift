import ArgumentParser
import Cache
import Commands
import Support

struct InfoCommand: ParsableCommand, LookupCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Say all that is known of pictures, without the network.",
        discussion: """
            On a terminal it is written for eyes, elsewhere as records with the field `info`. Its `file` is ok, \
            missing, other-size, or with --verify other-content. Asking counts as no use of the picture. One that is \
            not in the cache gives a record with an error, and status 1.

            EXAMPLES
              img-cache info https://example.org/m31.jpg
              img-cache info --key my-photo --print info.expires_at
              img-cache ls --json | img-cache info --key-field cache.key --verify --print info.file
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var keys: KeyOptions

    @Argument(help: ArgumentHelp("Addresses, or files that were put; - for records.", valueName: "pictures"))
    var pictures: [String] = []
    @OptionGroup var stream: StreamOptions

    @Flag(help: "Read the file, and compare its SHA-256.")
    var verify = false

    @Flag(help: "Write records, also to a terminal.")
    var json = false

    func run() throws {
        let (context, caches, rules) = try open()
        var options = try stream.runOptions(context, jobs: verify ? Thread.processors : 1)
        let writesText = options.layout == .lines && !json && Terminal.isTerminal(1)
        // Its words end their last line themselves: this is an empty line behind each.
        if writesText { options.layout = .field(InfoTool.textField, terminator: UInt8(ascii: "\n")) }
        let status = try context.run(
            InfoTool(caches: caches, rules: rules, hashes: verify, writesText: writesText), options: options,
            arguments: named, expecting: "addresses or files", job: pictureJob)
        caches.close()
        try end(with: status)
    }
}
