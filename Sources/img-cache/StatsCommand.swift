import ArgumentParser
import Cache
import Commands
import Support

struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Say what the cache holds and what it has done.",
        discussion: """
            Of all scopes, or of the one that --scope names. The manual, img-cache(1), says what each counter counts.

            EXAMPLES
              img-cache stats
              img-cache stats --json | jq .scopes
              img-cache stats --scope alice --zero
              img-cache stats --format prometheus --output /var/lib/node_exporter/img-cache.prom
            """)

    @OptionGroup var common: CommonOptions

    @Option(help: ArgumentHelp("text, json or prometheus.", valueName: "format"))
    var format: String?

    @Flag(help: "The same as --format json.")
    var json = false

    @Option(help: ArgumentHelp("Write to this file instead, which is replaced in one step.", valueName: "file"))
    var output: String?

    @Flag(help: "End only when the file of --output is on the disk, safe from a power cut.")
    var sync = false

    @Flag(help: "Begin to count anew after this.")
    var zero = false

    func run() throws {
        let context = try common.context(tool: "img-cache")
        let format = try chosenFormat()
        guard !sync || output != nil else { throw UsageFailure("--sync goes with --output") }
        let synchronizes = try context.synchronizes(option: sync)
        let scope = try common.scope.map { name in
            do { return try ScopeName(name) } catch { throw UsageFailure("--scope: \(failure(of: error).message)") }
        }
        var needs = Needs()
        needs.changesCache = zero
        needs.outputs = output.map { [$0] } ?? []
        let cache = try common.open(context, needs)
        if zero {
            try cache.zeroStatistics(scope: scope) {
                try write($0.bytes(format), synchronized: synchronizes)
            }
        } else {
            try write(cache.statistics(scope: scope).bytes(format), synchronized: synchronizes)
        }
    }

    private func chosenFormat() throws -> Statistics.Format {
        guard let format else { return json ? .json : .text }
        guard let chosen = Statistics.Format(rawValue: format) else {
            let names = Statistics.Format.allCases.map(\.rawValue)
            throw UsageFailure(
                "--format takes \(names.joined(separator: ", ")), not \"\(format)\""
                    + NearMatch.advice(for: format, among: names))
        }
        if json, chosen != .json { throw UsageFailure("--json and --format \(format) cannot be combined") }
        return chosen
    }

    private func write(_ bytes: [UInt8], synchronized: Bool) throws {
        guard let output else {
            return try File(descriptor: 1, path: "standard output", closes: false).write(bytes)
        }
        let file = try OutputFile(path: output)
        try bytes.withUnsafeBytes { try file.write($0) }
        try file.commit(synchronized: synchronized)
    }
}
