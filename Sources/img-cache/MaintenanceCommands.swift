import ArgumentParser
import Cache
import Commands
import Records
import Support

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List what is in the scope, one record a picture.",
        discussion: """
            EXAMPLES
              img-cache ls --print cache.url
              img-cache ls --variants --print path
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions

    @Flag(help: "List shrunk variants too.")
    var variants = false

    func run() throws {
        let context = try common.context(tool: "img-cache")
        let cache = try common.open(context)
        // The entries come a page at a time; the run takes them one by one.
        var pages = EntryPages(cache: cache, includesVariants: variants)
        let status = try context.run(PassingTool(name: "img-cache"), options: try stream.runOptions(context, jobs: 1)) { _ in try pages.next().map { .job(RecordJob($0)) } }
        try end(with: status)
    }

    /// Entries as records.
    private struct EntryPages {
        let cache: ImageCache
        let includesVariants: Bool
        private var ready: [Record] = []
        private var last: String? = ""

        init(cache: ImageCache, includesVariants: Bool) {
            self.cache = cache
            self.includesVariants = includesVariants
        }

        mutating func next() throws -> Record? {
            while ready.isEmpty {
                guard let from = last else { return nil }
                let page = try cache.page(after: from)
                last = page.next
                ready = page.entries.filter { $0.kind == .original || includesVariants && $0.kind == .variant }
                    .reversed().map { entry in
                        var record = Record()
                        record.setCached(entry, status: cache.status(of: entry))
                        return record
                    }
            }
            return ready.popLast()
        }
    }
}

struct RemoveCommand: LookupCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove pictures and all that was made from them.",
        discussion: """
            What is not there is passed over with status 1.

            EXAMPLES
              img-cache rm https://example.org/m31.jpg
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var keys: KeyOptions

    @Argument(help: ArgumentHelp("Addresses, or files that were put.", valueName: "pictures"))
    var pictures: [String] = []

    func run() throws {
        try forEachEntry { entry, cache in
            if let key = entry.key { _ = try cache.remove(try CacheKey(custom: key)) }
        }
    }
}
