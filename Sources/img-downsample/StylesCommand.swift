import ArgumentParser
import Commands
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

/// Lists the styles: a table on a terminal, else records.
struct StylesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "img-downsample styles",
        abstract: "List the styles of cards, and where each comes from.",
        discussion: """
            Sizes and radii are points. The configuration file adds styles, or changes those that are built in:

              {"styles": {"hero": {"width": 600, "height": 300, "corner_radius": 24, "content_mode": "fill",
                                   "gravity": "attention", "gradient": "none"}}}

            A side that is left out follows from the other and from `aspect_ratio` (such as "16:9"), or from the picture.
            """)

    @OptionGroup var common: CommonOptions

    @Flag(help: "Write records, also to a terminal.")
    var json = false

    func run() throws {
        let context = try common.context(tool: "img-downsample")
        let records = try ShrinkSettings.styles(context).map(\.record)
        let output = try File(descriptor: 1, path: "standard output", closes: false)
        if json || isatty(1) == 0 {
            for record in records { try output.write(record.line + [UInt8(ascii: "\n")]) }
        } else {
            try output.write(Array(Self.table(records).utf8))
        }
    }

    private static func table(_ records: [Record]) -> String {
        let columns: [FieldPath] = [
            "name", "width", "height", "aspect_ratio", "corner_radius", "content_mode", "gravity", "gradient", "from",
        ]
        var rows = [columns.map { $0.description.split(separator: "_").joined(separator: " ") }]
        rows += records.map { record in columns.map { TerminalText.escaped(record.printable($0) ?? "-") } }
        let widths = columns.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { text, width in
                text + String(repeating: " ", count: width - text.count)
            }
            var line = cells.joined(separator: "  ")[...]
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}
