import Records
import Support
import TestSupport
import Testing

/// The small pictures in `Tests/Corpus`, which every clone contains. The table in its README states the expected
/// results.
struct SmallCorpusTests {
    private static let folders = ["photos", "png-suite", "exif", "gif", "webp", "others", "malformed"]

    private static func rows() throws -> [CorpusTable.Row] {
        try folders.flatMap { try CorpusTable.rows($0, in: Corpus.smallImages) }
    }

    @Test func tableListsEveryFileAndTheTotalIsBelow1MB() throws {
        let found = try run("/usr/bin/find", [Corpus.smallImages, "-type", "f", "-printf", "%s %p\\n"]).expect(0).lines
        let files = found.map { $0.split(separator: " ", maxSplits: 1) }.filter { !$0[1].hasSuffix("README.md") }
        #expect(Set(files.map { String($0[1]) }) == Set(try Self.rows().map(\.path)))
        #expect(files.reduce(0) { $0 + (Int($1[0]) ?? 0) } < 1_000_000)
    }

    @Test func everyFileHasTheExpectedVerdict() throws {
        let home = try ToolHome()
        let rows = try Self.rows()
        let lines = rows.map { String(decoding: JSON.object(["path": .string($0.path)]).bytes, as: UTF8.self) }
        let output = try home.run(
            "img-downsample", ["--width", "700"], stdin: .lines(lines), environment: ["APOD_TOOLS_ALLOW_PATH": "/"])
        let records = try output.expect(65).records
        try #require(records.count == rows.count)
        for (row, record) in zip(rows, records) {
            #expect(record.string("error.code") ?? "ok" == row.check, "\(row.name): \(record)")
            guard let size = row.uprightSize, row.check == "ok" else { continue }
            #expect(record.integer("variants.custom.width") == size.width, "\(row.name)")
            #expect(record.integer("variants.custom.height") == size.height, "\(row.name)")
        }
    }

    @Test func allOrientationsShowTheSamePicture() throws {
        let home = try ToolHome()
        for kind in ["png", "webp"] {
            var seen: Set<[UInt8]> = []
            for number in 1...8 {
                let path = "\(Corpus.smallImages)/exif/orientation-\(number).\(kind)"
                let made = try home.run("img-downsample", [path, "--width", "48", "--format", "png", "-o", "-"])
                seen.insert(try made.expect(0).stdoutBytes)
            }
            #expect(seen.count == 1, "\(kind)")
        }
    }
}
