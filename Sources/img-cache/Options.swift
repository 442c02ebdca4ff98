import ArgumentParser
import Cache
import Commands
import HTTP
import Records
import Support

/// How a picture is found in a record and named in the cache: what `KeyOptions` has, or those of it that a command
/// declares itself.
protocol KeyArguments {
    var urlField: String? { get }
    var key: String? { get }
    var keyField: String? { get }
    var keyIgnoreQuery: [String] { get }
}

/// As if the option were not given.
extension KeyArguments {
    var urlField: String? { nil }
    var key: String? { nil }
    var keyField: String? { nil }
    var keyIgnoreQuery: [String] { [] }
}

/// Options of all commands that look for pictures: see `KeyArguments`.
struct KeyOptions: ParsableArguments, KeyArguments {
    @Option(help: ArgumentHelp("Fields with addresses of the picture, the best first, such as hdurl,image.url.", valueName: "fields"))
    var urlField: String?

    @Option(
        help: ArgumentHelp(
            "Name to use as the key (key:NAME) instead of the address; for a single picture.", valueName: "name"))
    var key: String?

    @Option(
        help: ArgumentHelp("Field that holds the name to use as the key instead of the address.", valueName: "field"))
    var keyField: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Query parameters that make no difference to the picture.", valueName: "names"))
    var keyIgnoreQuery: [String] = []
}

extension KeyArguments {
    func rules(arguments: [String]) throws -> CacheItem.Rules {
        var rules = CacheItem.Rules()
        if let urlField { rules.addresses = try PictureAddresses(list: urlField) }
        if key != nil, arguments.count != 1 || arguments == ["-"] {
            throw UsageFailure("--key goes with exactly one address or file; use --key-field for records")
        }
        if let key {
            do { _ = try CacheKey(name: key) } catch { throw UsageFailure("--key: \(failure(of: error).message)") }
        }
        rules.key = key
        if let keyField {
            guard let path = FieldPath(keyField) else {
                throw UsageFailure("--key-field takes a field or a dotted path, not \"\(keyField)\"")
            }
            rules.keyField = path
        }
        rules.ignoredQuery = Set(keyIgnoreQuery.flatMap { $0.split(separator: ",").map(String.init) })
        return rules
    }

    /// For a command that reads no records. Throws `UsageFailure` for the options that are about them.
    func requireNoRecords() throws {
        if urlField != nil || keyField != nil {
            throw UsageFailure("--url-field and --key-field are about records, which this command does not read")
        }
    }
}

/// A command that looks into the cache for single pictures. A protocol rather than a group of options: see
/// `CommonOptions`.
protocol LookupCommand {
    associatedtype Common: CommonArguments
    associatedtype Keys: KeyArguments
    var common: Common { get }
    var keys: Keys { get }
    var pictures: [String] { get }
    /// What the command needs beside the cache.
    var needs: Needs { get }
}

extension LookupCommand {
    var needs: Needs { .looking }

    func open() throws -> (context: ToolContext, caches: Caches, rules: CacheItem.Rules) {
        let context = try common.context(tool: "img-cache")
        let rules = try keys.rules(arguments: named)
        let caches = try common.caches(context)
        context.confine(caches.settings, needs)
        return (context, caches, rules)
    }

    /// What is asked for: `--key` alone names a picture, too.
    var named: [String] { pictures.isEmpty && keys.key != nil ? [""] : pictures }

    /// Gives every named picture's entry to `body`, and ends with the status that those which failed call for.
    ///
    /// - Parameters:
    ///   - handingOut: whether the entries' paths are to be used, see `ImageCache.lookup`; else only looked at.
    ///   - finish: is called behind the last one.
    func forEachEntry(
        handingOut: Bool = true, before: (String, Caches, CacheItem.Rules) throws -> Void = { _, _, _ in },
        finish: () throws -> Void = {}, _ body: (Entry, ImageCache) throws -> Void
    ) throws {
        try keys.requireNoRecords()
        let (context, caches, rules) = try open()
        guard !named.isEmpty else { throw UsageFailure("name at least one address or file") }
        var tally = ExitTally()
        for picture in named {
            do {
                try before(picture, caches, rules)
                let (entry, cache) = try caches.find(
                    Record(), argument: picture, rules: rules, handingOut: handingOut)
                try body(entry, cache)
            } catch {
                let failure = failure(of: error)
                if let system = failure as? SystemFailure, system.isBrokenPipe { break }
                context.log.error(failure.message)
                tally.add(failure)
            }
        }
        caches.close()
        try finish()
        try end(with: tally.status)
    }
}

extension CommonArguments {
    /// The one cache that a command is about which names no pictures: that in memory where this is the policy, else
    /// that on the disk.
    ///
    /// - Parameter needs: what the command needs beside it; all else is given up.
    func open(_ context: ToolContext, _ needs: Needs = Needs()) throws -> ImageCache {
        let caches = try caches(context)
        context.confine(caches.settings, needs)
        return try caches.standard()
    }
}
