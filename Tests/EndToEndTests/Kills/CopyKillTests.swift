import Libc
import TestSupport
import Testing

/// Kills `img-cache put --output-dir` while it copies originals.
struct CopyKillTests {
    @Test(arguments: KilledHome.all) func killLeavesOnlyCompleteCopies(_ killed: KilledHome) throws {
        let home = try ToolHome()
        var originals: [String: [UInt8]] = [:]
        for number in 0..<8 {
            let bytes = DrawnPicture.noise(150, 100, seed: UInt64(number)).png()
            originals["picture-\(number).png"] = bytes
            try home.write("picture-\(number).png", bytes)
        }
        let arguments = ["put", "--output-dir"]
        let killer = Killer(killed)
        var round = 0

        try killer.repeatUntilDone {
            round += 1
            let folder = "copies-\(round)"
            let tool = try home.start("img-cache", arguments + [folder] + originals.keys.sorted())
            let output = killer.kill(tool, work: "copies")
            if output.signal != SIGKILL { try output.expect(0) }

            // A run killed early has not created the folder.
            for name in TemporaryFolder.names(in: home.path(folder)) {
                #expect(try TestFile.bytes(home.path("\(folder)/\(name)")) == originals[name], "\(name)")
            }
        }
        try home.run("img-cache", arguments + ["copies-1"] + originals.keys.sorted()).expect(0)
        #expect(TemporaryFolder.names(in: home.path("copies-1")).sorted() == originals.keys.sorted())
    }
}
