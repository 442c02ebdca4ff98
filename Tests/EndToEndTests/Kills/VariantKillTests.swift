import Libc
import Records
import TestSupport
import Testing

/// Kills `img-downsample` while it makes and stores variants and placeholders.
struct VariantKillTests {
    @Test(arguments: KilledHome.all) func killLosesNoPrintedVariant(_ killed: KilledHome) throws {
        let home = try ToolHome()
        let names = try (0..<6).map { number in
            let name = "picture-\(number).png"
            try home.write(name, DrawnPicture.noise(120, 90, seed: UInt64(number)).png())
            return name
        }
        let failed = #"{"title":"None","error":{"tool":"x","code":"no-picture","message":"none","transient":false}}"#
        let records = try home.run("img-cache", ["put"] + names).expect(0).lines + [failed]
        let killer = Killer(killed)
        var width = 20
        var known: [String: [UInt8]] = [:]

        try killer.repeatUntilDone {
            width += 1
            let format = ["jpeg", "png", "webp"][width % 3]
            let arguments = ["--fallback", "--width", "\(width)", "--format", format]
            let tool = try home.start("img-downsample", arguments, stdin: .lines(records))
            let output = killer.kill(tool, work: format)
            if output.signal != SIGKILL { try output.expect(0) }

            try home.expectVerified()
            let printed = try output.wholeLines.map(path)
            let right = try home.run(
                "img-downsample", arguments + ["--output-dir", "\(width)"], stdin: .lines(records)
            )
            .expect(0).lines.map { try TestFile.bytes(path(of: $0)) }
            // Each printed variant must exist and be correct before another run opens the cache.
            for (path, right) in zip(printed, right) { #expect(try TestFile.bytes(path) == right, "\(path)") }
            let again = try home.run("img-downsample", arguments, stdin: .lines(records)).expect(0).lines
            #expect(try again.prefix(printed.count).map(path) == printed)
            for (line, right) in zip(again, right) {
                let path = try path(of: line)
                #expect(try TestFile.bytes(path) == right, "\(path)")
                known[path] = right
            }
            for line in again.prefix(printed.count) where !line.contains("\"status\":\"fallback\"") {
                #expect(line.contains("\"status\":\"hit\""), "\(line)")
            }
        }
        for (path, bytes) in known { #expect(try TestFile.bytes(path) == bytes, "\(path)") }
        try home.expectVerified()
        try CacheOnDisk(home).expectConsistent(home)
    }

    private func path(of line: String) throws -> String {
        try #require(Record(parsing: Array(line.utf8)).string("variants.custom.path"), "\(line)")
    }
}
