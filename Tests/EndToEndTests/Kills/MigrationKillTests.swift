import Libc
import Records
import TestSupport
import Testing

/// Kills runs that migrate a root to the current layout, or create it.
struct MigrationKillTests {
    @Test(arguments: KilledHome.all) func killedMigrationLosesNoEntry(_ killed: KilledHome) throws {
        let killer = Killer(killed)
        let service = try SampleServer(["--size", "40x30"])
        var layout = 0
        try killer.repeatUntilDone {
            layout = layout % IndexLayouts.steps.count + 1
            let old = try OlderRoot(layout: layout, service: service)
            let urls = [old.fresh, old.pinned]
            // The next run may be killed, too.
            for _ in 0..<3 {
                let arguments = [["get"] + urls, ["put"] + urls, ["ls"]][killer.random.below(3)]
                let output = try killer.kill(
                    old.home.start("img-cache", arguments + ["--scope", "default"], stdin: .empty),
                    work: "\(arguments[0]) \(layout)")
                if output.signal != SIGKILL { try output.expect(0) }
            }
            let found = try old.home.run("img-cache", ["get", "--scope", "default"] + old.keys).expect(0)
            for record in try found.records {
                let url = try #require(record.string("cache.url"))
                #expect(try TestFile.bytes(#require(record.string("path"))) == old.bytes(url))
            }
            let pinned = try old.home.run(
                "img-cache", ["ls", "--pinned", "--scope", "default", "--print", "cache.key"])
            #expect(try pinned.expect(0).lines == [old.pinned])
            try old.home.expectVerified()
        }
    }

    @Test(arguments: KilledHome.all) func killDuringSetupLeavesAUsableRoot(_ killed: KilledHome) throws {
        let killer = Killer(killed)
        let server = try PictureServer(size: 4000)
        try killer.repeatUntilDone {
            let home = try ToolHome(environment: server.environment)
            let put = ["put"] + (0..<3).map { server.url("\($0)") }
            let output = try killer.kill(home.start("img-cache", put, stdin: .empty), work: "put")

            let verified = try home.run("img-cache", ["verify"]).expect(0)
            let printed = output.wholeLines.count
            if printed > 0 { try home.run("img-cache", ["has"] + put[1...printed]).expect(0) }
            let again = try home.run("img-cache", put).expect(0).records
            #expect(again.prefix(printed).allSatisfy { $0.string("cache.status") == "hit" }, "\(verified)")
            for (url, record) in zip(put[1...], again) {
                #expect(try TestFile.bytes(#require(record.string("path"))) == server.picture(url))
            }
            try home.expectVerified()
            try CacheOnDisk(home).expectConsistent(home)
        }
    }
}
