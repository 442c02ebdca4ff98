import CacheTools
import Commands
import Options
import Records
import Support

extension Command {
    static let styles = Command(
        "styles", summary: "List the styles of cards, and where each is defined.",
        details: """
            Sizes and radii are in points. To shrink a file named styles, write ./styles. The configuration file adds \
            styles, or changes built-in styles:

              {"styles": {"hero": {"width": 600, "height": 300,
                                   "corner_radius": 24, "content_mode": "fill",
                                   "gravity": "attention", "gradient": "none"}}}

            A missing side is computed from the other side and `aspect_ratio` (such as "16:9"), or from the picture.
            """,
        examples: ["img-downsample styles", "img-downsample styles --json | jq -r .name"],
        options: { [[.json], .messages] }
    ) { arguments in
        let context = try ToolContext(arguments)
        let records = try DownsampleSettings.styles(context).map(\.record)
        let output = try TextOutput.standard()
        if arguments[.json] || !output.isTerminal {
            for record in records { try output.write(record.line + [UInt8(ascii: "\n")], as: .json) }
        } else {
            try output.write(table(records))
        }
        return 0
    }

    private static func table(_ records: [Record]) -> String {
        let columns: [FieldPath] = [
            "name", "width", "height", "aspect_ratio", "corner_radius", "content_mode", "gravity", "gradient", "from",
        ]
        var rows = [columns.map { $0.description.split(separator: "_").joined(separator: " ") }]
        rows += records.map { record in columns.map { TerminalText.escaped(record.printable($0) ?? "-") } }
        let widths = columns.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = zip(row, widths).map { text, width in text.padded(to: width) }.joined(separator: "  ")[...]
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}
