import Formats
import Records
import Support
import TestSupport
import Testing

/// Drawn and real pictures, intact and damaged, as a stream through `img-downsample`.
@Suite(.serialized)
struct CorpusPipelineTests {
    /// The memory limit for any picture. The maximum is 207 MB, for a progressive JPEG of 33 megapixels in 4:4:4, whose
    /// coefficients the decoder must hold in memory. A baseline JPEG of 280 megapixels takes 12 MB.
    private static let memoryLimit = 256 << 20
    /// Words that mark valid but unsupported pictures, in the corpus table or in messages.
    private static let refusedKinds = ["arithmetic", "lossless", "12-bit", "16-bit JPEG"]

    @Test(arguments: ["photos", "exif", "webp", "gif", "png-suite", "malformed"])
    func everyPictureIsDownsampledOrNamedInAnError(_ folder: String) throws {
        let home = try ToolHome()
        let rows = try CorpusTable.rows(folder)
        #expect(rows.count > (Corpus.isPresent ? 20 : 5))
        var tool = try start(home)
        for row in rows {
            let input = JSON.object(["path": .string(row.path), "valid": .bool(row.isValid)])
            tool.write(input.bytes + [UInt8(ascii: "\n")])
            guard let line = tool.readLine(within: .seconds(180)) else {
                Issue.record("\(row.name): no record: \(tool.wait(deadline: .seconds(1)))")
                tool = try start(home)
                continue
            }
            check(try Record(parsing: Array(line.utf8)), row, folder)
            // AddressSanitizer delays the reuse of freed memory, which raises the peak.
            if !isUnderAddressSanitizer, let peak = tool.peakMemory, peak > Self.memoryLimit {
                Issue.record("\(row.name) took \(peak >> 20) MB")
                end(tool)
                tool = try start(home)
            }
        }
        end(tool)
    }

    private func start(_ home: ToolHome) throws -> RunningTool {
        try home.start(
            "img-downsample", ["--variant", "pager", "--jobs", "1", "APOD_TOOLS_LEASE=0s", "--capacity", "20MB"],
            environment: ["APOD_TOOLS_ALLOW_PATH": "/"])
    }

    private func end(_ tool: RunningTool) {
        let output = tool.wait()
        #expect([0, 65, 77].contains(output.status), "\(output)")
    }

    private func check(_ record: Record, _ row: CorpusTable.Row, _ folder: String) {
        guard record.has("error") else {
            let width = record.integer("variants.pager.width") ?? 0
            let height = record.integer("variants.pager.height") ?? 0
            #expect(width >= 1 && height >= 1 && width <= 1024 && height <= 1024, "\(row.name)")
            guard folder != "malformed", row.isValid, let size = row.uprightSize else { return }
            let expected = fitted(size)
            #expect(
                abs(width - expected.width) <= 1 && abs(height - expected.height) <= 1,
                "\(row.name): \(width)x\(height)")
            return
        }
        let exit = record.integer("error.exit") ?? 0
        let message = record.string("error.message") ?? ""
        #expect(exit == 65 || exit == 77, "\(row.name): \(message)")
        #expect(record.bool("error.transient") == false, "\(row.name): \(message)")
        #expect(message.contains(row.path), "\(row.name): \(message)")
        #expect(!record.has("variants"), "\(row.name)")
        let mayBeRefused =
            !row.isValid || folder == "malformed" || exit == 77
            || Self.refusedKinds.contains { row.details.contains($0) || message.contains($0) }
        #expect(mayBeRefused, "\(row.name) is valid, but was refused: \(message)")
    }

    /// Returns the size reduced to fit 1024x1024; a smaller size stays the same.
    private func fitted(_ size: PixelSize) -> (width: Int, height: Int) {
        let longest = max(size.width, size.height)
        guard longest > 1024 else { return (size.width, size.height) }
        return (max(1, size.width * 1024 / longest), max(1, size.height * 1024 / longest))
    }

    @Test func allPicturesOfAFolderCanBeArguments() throws {
        let home = try ToolHome()
        let rows = try CorpusTable.rows("png-suite")
        let arguments = rows.map(\.path) + ["--variant", "pager", "--output-dir", "out", "--format", "webp"]
        let output = try home.run("img-downsample", arguments).expect(65)
        let records = try output.records
        // The records contain the folder's resolved path.
        func name(_ path: String?) -> Substring? { path?.split(separator: "/").last }
        #expect(records.map { name($0.string("path")) } == rows.map { name($0.path) })
        // The names of the suite's deliberately damaged files begin with x.
        #expect(rows.filter { $0.name.hasPrefix("x") }.count == records.filter { $0.has("error") }.count)
        #expect(zip(rows, records).allSatisfy { row, record in row.name.hasPrefix("x") == record.has("error") })
        let made = TemporaryFolder.names(in: home.path("out"))
        #expect(
            made.count == records.filter { !$0.has("error") }.count && made.allSatisfy { $0.hasSuffix("-pager.webp") })
    }
}
