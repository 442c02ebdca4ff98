import Libc
import TestSupport
import Testing

/// Kills `clean` or `verify --repair` together with a concurrent `put`.
struct MaintenanceKillTests {
    @Test(arguments: KilledHome.all) func killedRunsLoseNoEntryAndCleanRemovesTheirFiles(_ killed: KilledHome) throws {
        let home = try ToolHome()
        for version in 0..<2 {
            try home.write("changing-\(version).png", DrawnPicture.noise(20, 10, seed: 50 + UInt64(version)).png())
        }
        func put(_ file: String, _ key: String) throws -> String {
            try home.run("img-cache", ["put", file, "--key", key, "--print", "path"]).expect(0).lines[0]
        }
        // Without a lease, a replaced file is removed immediately.
        func change(_ version: Int) -> [String] {
            ["put", "APOD_TOOLS_LEASE=0s", "changing-\(version).png", "--key", "changing"]
        }
        let kept = try (0..<8).map { number in
            let bytes = DrawnPicture.noise(20, 10, seed: UInt64(number)).png()
            try home.write("kept-\(number).png", bytes)
            return (path: try put("kept-\(number).png", "kept-\(number)"), bytes: bytes)
        }
        try home.run("img-cache", change(0)).expect(0)
        let killer = Killer(killed)
        var round = 0

        try killer.repeatUntilDone {
            round += 1
            let work = round % 2 == 0 ? ["clean"] : ["verify", "--repair"]
            let maintenance = try home.start("img-cache", work, stdin: .empty)
            let putting = try home.start("img-cache", change(round % 2), stdin: .empty)
            _ = killer.kill(maintenance, work: work[0])
            putting.kill(SIGKILL)
            _ = putting.wait()
            if round % 8 == 0 { try home.expectVerified() }
        }

        try home.expectVerified()
        try home.run("img-cache", ["clean"]).expect(0)

        try home.expectVerified()
        for (number, (path, bytes)) in kept.enumerated() {
            #expect(try home.run("img-cache", ["path", "--key", "kept-\(number)"]).expect(0).lines == [path])
            #expect(try TestFile.bytes(path) == bytes)
        }
        try home.run("img-cache", ["path", "--key", "changing"]).expect(0)
        #expect(home.leftovers == [] && home.blobs.count == kept.count + 1)
        #expect(!home.folder.contents().contains { $0.contains("/locks/") && !$0.hasSuffix("/all") })
    }
}
