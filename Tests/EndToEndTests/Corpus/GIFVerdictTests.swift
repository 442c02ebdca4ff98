import Records
import Support
import TestSupport
import Testing

/// An expected result in `GIFVerdicts.txt`: the canvas, frame count and `loop` of a valid GIF, or an error code.
///
/// The verdicts come from the tables of the corpus, `gifsicle --info` and the specification, not from this project's
/// code. Like gifsicle, the tools check only blocks: an invalid LZW code (`invalid-code.gif`) fails only when the frame
/// is drawn. Of several looping extensions, the last is used. Unlike gifsicle, the tools refuse frames without pixels,
/// frames with too little data for their pixels (`pixel-data-none.gif`), and code sizes above 11, which the format does
/// not allow.
struct GIFVerdict {
    let name: String
    let verdict: String

    /// All verdicts, in the order of the table.
    static func list() throws -> [GIFVerdict] {
        try TestFile.text("\(Corpus.packageRoot)/Tests/EndToEndTests/GIFVerdicts.txt").split(separator: "\n").map {
            let words = $0.split(separator: " ", maxSplits: 1).map(String.init)
            return GIFVerdict(name: words[0], verdict: words[1])
        }
    }

    var path: String { get throws { try Corpus.path("images/\(name)") } }
    var isAccepted: Bool { verdict.contains(" ") }

    /// Returns the result of a record in the notation of the table: the facts in its field `gif` or `info`, or its
    /// error code.
    static func verdict(_ record: Record, _ field: String) -> String {
        func number(_ name: String) -> Int { record.integer(FieldPath(stringLiteral: "\(field).\(name)")) ?? -1 }
        return record.string("error.code")
            ?? "\(number("width"))x\(number("height")) \(number("frames")) \(number("loop"))"
    }
}

@Suite(.enabled(if: Corpus.isPresent))
struct GIFVerdictTests {
    @Test func tableListsEveryGIF() throws {
        var names: Set<String> = []
        for folder in ["gif", "gif/gif-test-suite", "malformed"] {
            for path in try Corpus.pictures(in: folder, of: [Corpus.path("images")]) where path.hasSuffix(".gif") {
                names.insert("\(folder)/\(path.split(separator: "/").last ?? "")")
            }
        }
        let table = Set(try GIFVerdict.list().map(\.name))
        #expect(names == table, "\(names.symmetricDifference(table).sorted())")
    }

    @Test func infoMatchesTheTable() throws {
        let verdicts = try GIFVerdict.list()
        let output = try run("gif-cache", ["info"] + verdicts.map { try $0.path }).expect(65)
        for (record, expected) in zip(try output.records, verdicts) {
            #expect(GIFVerdict.verdict(record, "info") == expected.verdict, "\(expected.name)")
            if expected.isAccepted { continue }
            let message = record.string("error.message") ?? ""
            #expect(message.contains(try expected.path), "\(message)")
        }
        #expect(try output.records.count == verdicts.count)
    }

    @Test func putAcceptsExactlyTheValidGIFs() throws {
        let verdicts = try GIFVerdict.list()
        let bodies = try verdicts.map { try TestFile.bytes($0.path) }
        let server = try LoopbackServer { request in
            .bytes(request.field("exerciseId").flatMap { Int($0) }.map { bodies[$0] } ?? [], type: "image/gif")
        }
        let home = try ToolHome(
            environment: ["EXERCISEDB_API_URL": server.address, "APOD_TOOLS_ALLOW_PRIVATE": "1"])
        let output = try home.run("gif-cache", ["put"] + verdicts.indices.map(String.init)).expect(65)
        for (record, expected) in zip(try output.records, verdicts) {
            #expect(GIFVerdict.verdict(record, "gif") == expected.verdict, "\(expected.name)")
        }
        let kept = try home.run("gif-cache", ["ls"]).expect(0).records
        #expect(kept.count == verdicts.count { $0.isAccepted })
        try home.run("gif-cache", ["verify"]).expect(0)
    }
}
