import Records
import Support
import TestSupport
import Testing

/// Exit status 74: the output cannot be written. `Tests/Cases` covers the other statuses. Status 70 has no test,
/// because no input causes an internal fault.
struct WriteFailureTests {
    @Test(.enabled(if: TestFile.exists("/dev/full")))
    func writingToAFullDiskFails() throws {
        let home = try Sample.home()
        let file = try home.write("a.png", DrawnPicture.gradient(8, 8).png())
        let url = try Sample.url("exit-74.jpg")
        let runs: [(String, [String], ToolInput)] = [
            ("img-cache", ["put", url], .empty), ("img-cache", ["cat", url], .empty),
            ("img-cache", ["stats"], .empty), ("img-cache", ["ls"], .empty),
            ("img-downsample", [file, "--width", "4"], .empty),
            ("img-downsample", [file, "--width", "4", "--format", "png", "-o", "-"], .empty),
            ("apod-fetch", ["--date", "2024-02-01"], .empty),
            ("gif-cache", ["get", "0001"], .empty),
        ]
        for (tool, arguments, input) in runs {
            let output = try home.run(tool, arguments, stdin: input, stdout: .file("/dev/full")).expect(74)
            #expect(output.errorLines.last?.hasPrefix("\(tool): ") == true, "\(output)")
            #expect(output.stderr.contains("standard output"), "\(output)")
        }
    }

    /// `ulimit -f` counts blocks of 512 or 1024 bytes; the shell applies it only to the tool.
    @Test func outputOverTheFileSizeLimitIsRemoved() throws {
        let home = try Sample.home()
        // The index already exists, so only the picture exceeds the limit.
        _ = try home.run("img-cache", ["stats"]).expect(0)
        let file = try home.write("large.png", DrawnPicture.noise(500, 400, seed: 5).png(.stored))
        for command in ["img-downsample \(file) -o out.png", "img-downsample \(file) --width 490 --output-dir out"] {
            let output = try home.shell("ulimit -f 100; \(command)").expect(74)
            #expect(output.errorLines.count == 1 && output.stderr.hasPrefix("img-downsample: "), "\(output)")
        }
        let output = try home.shell("ulimit -f 200; img-cache put \(file)").expect(74)
        #expect(try output.record.integer("error.exit") == 74, "\(output)")
        #expect(TemporaryFolder.names(in: home.work) == ["large.png", "out"])
        #expect(TemporaryFolder.names(in: home.path("out")) == [])
        #expect(home.blobs == [] && home.leftovers == [])
        _ = try home.run("img-cache", ["put", file]).expect(0)
    }
}
