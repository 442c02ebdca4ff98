import Formats
import Libc
import Support
import TestSupport
import Testing

/// Generated and real pictures, valid and damaged.
struct CorpusTests {
    @Test func headersAgreeWithTheTable() throws {
        var seen = 0
        for row in try CorpusTable.rows() where row.isValid {
            let header = try? ImageHeader.read(row.open())
            #expect(header?.storedSize == row.size, "\(row.path)")
            #expect(header?.orientation == row.orientation, "\(row.path)")
            seen += 1
        }
        #expect(seen > (Corpus.isPresent ? 400 : 100))
    }

    @Test func validPicturesPassInspection() throws {
        for row in try CorpusTable.rows() where row.isValid {
            #expect(throws: Never.self, "\(row.path)") { try ImageInspection.inspect(row.open()) }
        }
    }

    @Test func damagedPicturesWithoutAnEndMarkerAreRefused() throws {
        for row in try CorpusTable.rows() where row.folder == "malformed" {
            let code = failure { _ = try ImageInspection.inspect(try row.open()) }?.code
            // The parser that created the table found no end marker.
            if ["no EOI", "no IEND", "no trailer"].contains(where: { row.details.contains($0) }) {
                #expect(code != nil, "\(row.path)")
            }
            if row.details.hasPrefix("0 bytes") { #expect(code == "empty-body", "\(row.path)") }
            // Reading the header must terminate, with a result or an error.
            _ = try? ImageHeader.read(row.open())
        }
    }

    @Test func everyGIFIsAcceptedOrRefusedAsListed() throws {
        for row in try CorpusTable.rows() where row.path.hasSuffix(".gif") {
            let code = failure { _ = try GIFStructure.read(row.open()) }?.code
            #expect(code == GIFVerdicts.refused[row.name] ?? row.code, "\(row.path)")
        }
    }

    @Test func framesAndLoopsOfGIFsAgreeWithTheTable() throws {
        for row in try CorpusTable.rows() where row.details.contains("GIF: ") && row.isValid {
            guard let gif = try? GIFStructure.read(row.open()) else { continue }
            #expect(row.details.contains(" \(gif.frameCount) frame"), "\(row.path)")
            // If there are two looping extensions, the table lists the first, but browsers and gifsicle use the last.
            if row.name == "duplicate_number_of_loops.gif" {
                #expect(gif.loopCount == 3)
                continue
            }
            let loop = gif.loopCount.map { $0 == 0 ? "loop forever" : "loop \($0)," }
            if let loop { #expect((row.details + ",").contains(loop), "\(row.path)") }
            #expect(!(gif.loopCount == nil && row.details.contains("loop forever")), "\(row.path)")
        }
    }
}

/// The table of pictures in the corpus's README.
enum CorpusTable {
    struct Row {
        let root: String
        let folder: String
        let name: String
        let size: PixelSize?
        let details: String
        let check: String

        var path: String { "\(folder)/\(name)" }

        /// The expected error code of a picture in the small corpus; nil if the picture is valid.
        var code: String? { root == Corpus.smallImages && check != "ok" ? check : nil }

        /// Whether the picture has a size, the reference tool accepts it, `GIFVerdicts` does not refuse it, and it is
        /// not in the folder of damaged files.
        var isValid: Bool {
            folder != "malformed" && GIFVerdicts.refused[name] == nil && size != nil && check.contains("ok")
        }

        var orientation: Orientation {
            guard let range = details.firstRange(of: "xif orientation ") ?? details.firstRange(of: "XIf orientation ")
            else { return .upright }
            return details[range.upperBound...].first.flatMap { UInt8(String($0)) }.flatMap(Orientation.init(rawValue:))
                ?? .upright
        }

        func open() throws -> File { try File.openInput("\(root)/\(path)") }
    }

    /// The rows ``| `file` | bytes | WxH | details | check |`` under headings such as `## photos/ (…)`.
    static func rows() throws -> [Row] { try Corpus.imageFolders.flatMap(rows) }

    private static func rows(of root: String) throws -> [Row] {
        let file = try File.openInput("\(root)/README.md")
        var folder = ""
        var rows: [Row] = []
        for line in String(decoding: try file.bytes(0..<file.count), as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("## ") {
                folder = String(line.dropFirst(3).prefix { $0 != " " })
                if folder.hasSuffix("/") { folder.removeLast() }
            }
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { trimmed($0) }
            guard line.hasPrefix("| `"), cells.count > 5,
                access("\(root)/\(folder)/\(name(cells[1]))", R_OK) == 0
            else { continue }
            let sides = cells[3].split(separator: "x").compactMap { Int($0) }
            rows.append(
                Row(
                    root: root, folder: folder, name: name(cells[1]),
                    size: sides.count == 2 ? PixelSize(width: sides[0], height: sides[1]) : nil, details: cells[4],
                    check: cells[5]))
        }
        return rows
    }

    private static func name(_ cell: String) -> String { cell.filter { $0 != "`" } }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
