import Libc
import Records
import TestSupport
import Testing

/// Kills the process that downloads a picture for several waiting processes.
struct TakeoverKillTests {
    @Test(arguments: KilledHome.all) func killedLeaderCausesOneMoreRequest(_ killed: KilledHome) throws {
        let server = try PictureServer(size: 200_000)
        let home = try ToolHome(environment: server.environment)
        let killer = Killer(killed)
        var urls: [String] = []

        try killer.repeatUntilDone {
            let url = server.url("\(urls.count)")
            let before = server.asked.count
            // The leader's answer pauses halfway, so the leader cannot finish.
            server.stall(next: 1)
            let leader = try home.start("img-cache", ["put", url], stdin: .empty)
            #expect(server.waitUntilStalled(urls.count + 1))
            let followers = try (0..<3).map { _ in
                try home.start("img-cache", ["put", "APOD_TOOLS_RETRIES=0", url], stdin: .empty)
            }
            #expect(killer.killSoon(leader).signal == SIGKILL)

            let records = try followers.map { try $0.wait().expect(0).record }
            #expect(records.count { $0.string("cache.status") == "miss" } == 1, "\(records)")
            #expect(server.asked.count == before + 2)
            #expect(try TestFile.bytes(#require(records[0].string("path"))) == server.picture(url))
            urls.append(url)
            try home.expectVerified()
        }
        try home.run("img-cache", ["has"] + urls).expect(0)
        #expect(home.leftovers == [])
        try CacheOnDisk(home).expectConsistent(home)
    }
}
