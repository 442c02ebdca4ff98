import Records
import Support
import TestSupport
import Testing

/// A line of `CorpusVerdicts.txt`: the expected size of a picture's `pager` variant or the expected error code, by
/// default (`whole`) and with `--allow-damaged=truncated` (`truncated`).
struct CorpusVerdict {
    let name: String
    let whole: String
    let truncated: String

    /// The verdicts for the pictures directly in the folder `images/NAME`, sorted by name.
    static func list(_ folder: String) throws -> [CorpusVerdict] {
        let file = "\(Corpus.packageRoot)/Tests/EndToEndTests/CorpusVerdicts.txt"
        return try TestFile.text(file).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 3, let slash = words[0].lastIndex(of: "/"), words[0][..<slash] == folder else {
                return nil
            }
            return CorpusVerdict(
                name: String(words[0][words[0].index(after: slash)...]), whole: words[1], truncated: words[2])
        }
    }
}

/// Runs the tools once per corpus folder, with all its pictures as arguments.
@Suite(.serialized, .enabled(if: Corpus.isPresent))
struct CorpusVerdictTests {
    private static let folders = [
        "malformed", "png-suite", "exif", "webp", "gif", "gif/gif-test-suite", "photos", "reports", "suites",
    ]
    /// Pictures with a valid structure but damaged pixels. Only decoding finds the damage.
    private static let damagedPixels: Set<String> = [
        "dc-predictor-overflow.jpg", "invalid-code.gif", "jpeg-premature-segment-1cbb1bb3.jpg",
        "partial_progressive.jpg", "subtract-with-overflow.jpg",
    ]

    /// Returns the records of the files, in order.
    private func records(_ paths: [String], _ options: [String]) throws -> [Record] {
        let home = try ToolHome()
        let output = try home.run(
            "img-downsample", paths + options + ["--output-dir", "out"], deadline: .seconds(240))
        #expect([0, 65, 77].contains(output.status), "\(output)")
        let records = try output.records
        #expect(records.count == paths.count, "\(output)")
        for (path, record) in zip(paths, records) {
            #expect(record.has("error") || record.has("variants"), "\(path)")
            guard record.has("error") else { continue }
            let message = record.string("error.message") ?? ""
            #expect([65, 77].contains(record.integer("error.exit")), "\(path): \(message)")
            #expect(message.contains(path) && record.bool("error.transient") == false, "\(path): \(message)")
        }
        return records
    }

    private func path(_ folder: String, _ verdict: CorpusVerdict) throws -> String {
        try Corpus.path("images/\(folder)/\(verdict.name)")
    }

    /// Returns the result of a record in the notation of the table.
    private func verdict(_ record: Record) -> String {
        if let code = record.string("error.code") { return code }
        return "\(record.integer("variants.pager.width") ?? 0)x\(record.integer("variants.pager.height") ?? 0)"
    }

    @Test(arguments: folders) func tableListsEveryPicture(_ folder: String) throws {
        let paths = try Corpus.pictures(in: folder, of: [Corpus.path("images")])
        let names = Set(paths.compactMap { $0.split(separator: "/").last.map(String.init) })
        let table = Set(try CorpusVerdict.list(folder).map(\.name))
        #expect(names == table, "\(names.symmetricDifference(table).sorted())")
    }

    @Test(arguments: folders) func everyPictureHasTheExpectedVerdict(_ folder: String) throws {
        let verdicts = try CorpusVerdict.list(folder)
        let paths = try verdicts.map { try path(folder, $0) }
        for (record, expected) in zip(try records(paths, ["--variant", "pager"]), verdicts) {
            #expect(verdict(record) == expected.whole, "\(expected.name)")
        }
        for (record, expected) in zip(
            try records(paths, ["--variant", "pager", "--allow-damaged=truncated"]), verdicts)
        {
            #expect(verdict(record) == expected.truncated, "\(expected.name), truncated")
            // In these files only the container is truncated, not the pixel data.
            let isWhole = expected.name.hasPrefix("webp-truncated-lossless")
            if !record.has("error") && expected.whole == "truncated-image" && !isWhole {
                #expect(record.bool("variants.pager.truncated") == true, "\(expected.name)")
            }
        }
    }

    /// `img-cache put` does not decode, so it accepts pictures with too many pixels or damaged pixels.
    @Test(arguments: folders) func putRefusesDamagedPicturesLikeDownsampling(_ folder: String) throws {
        let verdicts = try CorpusVerdict.list(folder)
        let home = try ToolHome()
        let output = try home.run(
            "img-cache", ["put"] + verdicts.map { try path(folder, $0) }, deadline: .seconds(240))
        for (record, expected) in try zip(output.records, verdicts) {
            let isKept = !expected.whole.contains("-") || expected.whole == "too-many-pixels"
            let code = isKept || Self.damagedPixels.contains(expected.name) ? nil : expected.whole
            #expect(record.string("error.code") == code, "\(expected.name)")
        }
        #expect(try output.records.count == verdicts.count)
    }

    @Test(arguments: [
        "--format jpeg --progressive --print-hash", "--format png --progressive APOD_TOOLS_LINEAR=true",
        "--format webp --metadata exif", "--format avif --width 48", "--format gif --frame 0",
        "--metadata profile,copyright APOD_TOOLS_DECODER=full", "--allow-damaged=truncated --format webp --rotate 90",
        "--content-mode fill --gravity attention --width 90 --height 60", "--region 10%,10%,50%,50% --width 40",
    ])
    func damagedPictureFailsCleanlyWithAnyOptions(_ options: String) throws {
        var arguments = options.split(separator: " ").map(String.init)
        if !arguments.contains("--width") { arguments += ["--variant", "pager"] }
        for folder in ["malformed", "png-suite", "gif/gif-test-suite"] {
            let paths = try CorpusVerdict.list(folder).map { try path(folder, $0) }
            // Files that differ only by their extension would be written to the same path.
            for group in Dictionary(grouping: paths, by: { $0.split(separator: ".").last }).values {
                _ = try records(group, arguments)
            }
        }
    }
}
