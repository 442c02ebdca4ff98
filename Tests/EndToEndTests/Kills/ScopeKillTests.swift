import Libc
import Records
import TestSupport
import Testing

/// Kills a scope switch, or the background process that removes the files of an old scope.
struct ScopeKillTests {
    @Test(arguments: KilledHome.all) func killedSwitchOrPurgeLosesNoEntry(
        _ killed: KilledHome
    ) throws {
        let home = try ToolHome()
        let files = try (0..<6).map {
            try home.write("\($0).png", DrawnPicture.noise(8, 8, seed: UInt64($0)).png())
        }
        try home.run("img-cache", ["put", "--scope", "kept"] + files).expect(0)
        let killer = Killer(killed)
        var (current, round) = ("default", 0)
        try killer.repeatUntilDone {
            round += 1
            try home.run("img-cache", ["put", "--scope", current] + files).expect(0)
            let next = "scope-\(round)"
            let switching = ["scope", "switch", next, "--purge", "-q"]
            let isSwitch = round % 2 == 0
            if !isSwitch { try home.run("img-cache", switching).expect(0) }
            let work = isSwitch ? switching : ["scope", "finish-purges", home.cacheRoot]
            let output = try killer.kill(home.start("img-cache", work, stdin: .empty), work: work[1])

            let found = try home.run("img-cache", ["scope", "current"]).expect(0).lines
            let isDone = !isSwitch || output.signal != SIGKILL
            #expect(found == [next] || !isDone && found == [current], "round \(round)")
            current = try #require(found.first)
            try home.expectVerified()
        }
        let kept = try home.run("img-cache", ["ls", "--scope", "kept"]).expect(0).records
        #expect(kept.count == files.count)
        for record in kept { #expect(TestFile.exists(try #require(record.string("path")))) }

        try home.run("img-cache", ["scope", "purge", current]).expect(0)
        try home.run("img-cache", ["clean"]).expect(0)
        #expect(eventually { home.blobs.count == files.count })
        try home.expectVerified()
        try CacheOnDisk(home).expectConsistent(home)
        #expect(try CacheOnDisk(home).number("SELECT count(*) FROM scopes WHERE purged = 1") == 0)
    }
}
