import Libc
import Records
import Support
import TestSupport
import Testing

/// Kills `gif-cache` while it fetches and refreshes GIFs and draws their posters.
struct GIFKillTests {
    @Test(arguments: KilledHome.all) func killLosesNoPrintedGIF(_ killed: KilledHome) throws {
        let service = try SampleServer(["--exercises", "700"])
        let home = try ToolHome(environment: service.environment)
        let killer = Killer(killed)
        var known: Set<String> = []
        var next = 0

        try killer.repeatUntilDone {
            let work = ["put", "refresh", "poster"][known.isEmpty ? 0 : killer.random.below(3)]
            let ids: [String]
            if work == "put" {
                ids = (next + 1...next + 6).map { String("000\($0)".suffix(4)) }
                next += 6
            } else {
                ids = Array(known.sorted().shuffled(using: &killer.random).prefix(6))
            }
            let arguments = [work == "poster" ? "poster" : "put"] + (work == "refresh" ? ["--refresh"] : []) + ids
            let output = try killer.kill(home.start("gif-cache", arguments, stdin: .empty), work: work)
            if output.signal != SIGKILL { try output.expect(0) }

            try home.expectVerified(story: "\(output)")
            try home.run("gif-cache", ["verify"]).expect(0)
            let printed = try output.wholeLines.map { try Record(parsing: Array($0.utf8)) }
            for (id, record) in zip(ids, printed) {
                #expect(record.string("id") == id)
                let path = try #require(record.string(work == "poster" ? "poster.path" : "path"), "\(record)")
                #expect(try !TestFile.bytes(path).isEmpty, "\(record)")
                known.insert(id)
            }
            try expectKnown(known, home, service)
            try home.run("gif-cache", arguments).expect(0)
            known.formUnion(ids)
        }
        try expectKnown(known, home, service)
        try CacheOnDisk(home).expectConsistent(home)
    }

    /// Every entry printed before a kill is present afterwards, and the next run completes the work.
    @Test(arguments: KilledHome.all) func killedMirrorLosesNoPrintedGIF(_ killed: KilledHome) throws {
        let count = 400
        let service = try SampleServer(["--exercises", "\(count)", "--exercise-side", "16"])
        let home = try ToolHome(environment: service.environment)
        let killer = Killer(killed)
        var told: Set<String> = []
        try killer.repeatUntilDone {
            let wanted = min(home.blobs.count + killer.random.below(9), count)
            let tool = try home.start("gif-cache", ["mirror"], stdin: .empty)
            _ = eventually { !tool.isRunning || home.blobs.count >= wanted }
            for line in killer.killSoon(tool).wholeLines {
                let record = try Record(parsing: Array(line.utf8))
                #expect(record.bool("gif.placeholder") == false, "\(record)")
                told.insert(try #require(record.string("id")))
            }
            if !told.isEmpty { try home.run("gif-cache", ["has"] + told.sorted()).expect(0) }
            try home.expectVerified()
        }
        try home.run("gif-cache", ["mirror"]).expect(0)
        try home.run("gif-cache", ["verify"]).expect(0)
        #expect(home.blobs.count == count)
        // Each kill repeats at most three downloads.
        #expect(try service.requests()["/image"] <= count + 3 * killer.kills)
    }

    /// Expects the cache to contain every known GIF with the bytes that the service sends.
    private func expectKnown(_ known: Set<String>, _ home: ToolHome, _ service: SampleServer) throws {
        if known.isEmpty { return }
        let records = try home.run("gif-cache", ["get"] + known.sorted()).expect(0).records
        #expect(records.map { $0.string("id") } == known.sorted())
        for record in records {
            let (id, path) = (try #require(record.string("id")), try #require(record.string("path")))
            let right = try Self.gifs.bytes(of: id, from: service)
            #expect(try TestFile.bytes(path) == right, "\(record)")
        }
    }

    private static let gifs = ServiceGIFs()
}

/// The service's GIFs, each requested once.
private final class ServiceGIFs: Sendable {
    private let known = Monitor<[String: [UInt8]]>([:])

    func bytes(of id: String, from service: SampleServer) throws -> [UInt8] {
        if let bytes = known.withLock({ $0[id] }) { return bytes }
        let bytes = try LoopbackClient.send(service.url("/image?exerciseId=\(id)&resolution=180")).body
        known.withLock { $0[id] = bytes }
        return bytes
    }
}
