import Formats
import Support
import TestSupport

/// The pictures of the corpus, with their properties from its README.
struct CorpusTable {
    struct Row {
        let path: String
        let name: String
        /// The stored size; nil if the README states none.
        let size: PixelSize?
        let details: String
        /// The verdict of a reference tool; in the small corpus, `ok` or the expected error code.
        let check: String
        /// Whether a reference tool found no fault.
        let isValid: Bool

        /// The size after the EXIF orientation is applied.
        var uprightSize: PixelSize? {
            guard let tag = details.firstRange(of: "xif orientation ") ?? details.firstRange(of: "XIf orientation ")
            else {
                return size
            }
            let swaps = details[tag.upperBound...].first.map { "5678".contains($0) } ?? false
            return swaps ? size?.swapped : size
        }
    }

    /// The pictures directly in a folder, first of the small and then of the large corpus.
    static func rows(_ folder: String) throws -> [Row] {
        try Corpus.imageFolders.flatMap { try rows(folder, in: $0) }
    }

    static func rows(_ folder: String, in root: String) throws -> [Row] {
        let readme = try TestFile.text("\(root)/README.md")
        var isInside = false
        var rows: [Row] = []
        for line in readme.split(separator: "\n") {
            if line.hasPrefix("## ") { isInside = line.hasPrefix("## \(folder)/ ") }
            guard isInside, line.hasPrefix("| `") else { continue }
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { $0.filter { $0 != "`" } }
            guard cells.count > 5 else { continue }
            let name = cells[1].filter { $0 != " " }
            let path = "\(root)/\(folder)/\(name)"
            let sides = cells[3].filter { $0 != " " }.split(separator: "x").compactMap { Int($0) }
            guard TestFile.exists(path) else { continue }
            rows.append(
                Row(
                    path: path, name: name,
                    size: sides.count == 2 ? PixelSize(width: sides[0], height: sides[1]) : nil, details: cells[4],
                    check: cells[5].filter { $0 != " " },
                    isValid: cells[5].contains("ok") && !cells[5].contains("refuses")))
        }
        return rows
    }
}
