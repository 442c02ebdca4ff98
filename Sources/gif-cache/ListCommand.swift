import ArgumentParser
import Commands
import GIFs
import Records
import Support

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List the GIFs of the scope: a table at a terminal, else one record a GIF.",
        discussion: """
            All conditions must be met. Listing counts as no use of what is listed. Other pictures in the cache are \
            not listed: img-cache ls lists all.

            EXAMPLES
              gif-cache ls --larger-than 1MB
              gif-cache ls --resolution 360 --print id
              gif-cache ls --json | gif-cache poster --print poster.path
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions
    @OptionGroup var selection: GIFFilterOptions
    @Flag(help: .json) var json = false

    func run() throws {
        let filter = try selection.filter()
        let resolution = try Resolution(option: selection.resolution)
        let lookup = try GIFLookup(common, .looking)
        let output = try ReportOutput(json: json || stream.print != nil || stream.pretty)
        let options = try stream.runOptions(lookup.context, jobs: 1)
        var listing = try lookup.gifs.list(filter, resolution: resolution)
        if output.isForPeople {
            let table = GIFTable(now: .now())
            var isEmpty = true
            while let kept = try listing.next() {
                if isEmpty { try output.write(.null, table.heading) }
                isEmpty = false
                try output.write(.null, table.line(kept))
            }
            return
        }
        let status = try lookup.context.run(PassingTool(name: "gif-cache"), options: options) { _ in
            try listing.next().map { kept in
                var record = gifJob(kept.gif.id.text).record
                record.setGIF(kept)
                return .job(RecordJob(record))
            }
        }
        try end(with: status)
    }
}
