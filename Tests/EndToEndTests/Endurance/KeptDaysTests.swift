import Libc
import Records
import Support
import TestSupport
import Testing

/// What is known of days, on a root that many processes write at once, under which they are killed, or that cannot be
/// written.
@Suite(.serialized)
struct KeptDaysTests {
    /// All of them, some without a picture. One service alone, so that there is one row a day.
    private let days = ["--service", "science", "--start-date", "2023-01-01", "--end-date", "2024-02-04"]
    private let count = 400

    /// Each record without what differs from run to run: where it came from.
    private func facts(_ output: ToolOutput) throws -> [[String?]] {
        try output.records.map { record in
            ["date", "title", "explanation", "url", "hdurl", "error.code"].map { record.string($0) }
        }
    }

    private func expectWholeRows(_ root: CacheOnDisk, location: SourceLocation = #_sourceLocation) throws {
        #expect(try root.query("PRAGMA integrity_check") == ["ok"], sourceLocation: location)
        let torn = try root.query("SELECT name FROM metadata WHERE length(body) <> bytes OR NOT json_valid(body)")
        #expect(torn == [], sourceLocation: location)
    }

    private func rows(_ root: CacheOnDisk) throws -> Int { try root.number("SELECT count(*) FROM metadata") }

    @Test func manyProcessesKeepTheSameDaysAtOnce() throws {
        let service = try SampleServer()
        let home = try ToolHome(environment: service.environment)
        let tools = try (0..<8).map { _ in try home.start("apod-fetch", days, stdin: .empty) }
        let outputs = tools.map { $0.wait(deadline: .seconds(300)) }

        let first = try facts(outputs[0])
        #expect(first.count == count)
        for output in outputs {
            // Each day without a picture is told of or counted, and nothing else.
            #expect(output.status == 69, "\(output)")
            #expect(
                try RecordLaws.failuresTold(output.errorLines) == output.records.count { $0.has("error") }, "\(output)")
            #expect(try facts(output) == first)
        }
        let root = CacheOnDisk(home)
        try expectWholeRows(root)
        #expect(try rows(root) == count)
        #expect(try root.number("SELECT count(DISTINCT name) FROM metadata") == count)

        // And nothing of it needs a request any more.
        try service.reset()
        let again = try home.run("apod-fetch", days).expect(69)
        #expect(try facts(again) == first)
        #expect(try service.requests().total == 0)
        let metadata = try home.statistics()
        #expect(metadata.integer("metadata.count") == count && metadata.integer("entries") == 0)
    }

    @Test(arguments: [1, 2, 3])
    func aKillLeavesWholeRowsAndWhatWasThere(_ seed: Int) throws {
        let service = try SampleServer()
        let home = try ToolHome(environment: service.environment)
        let root = CacheOnDisk(home)
        // An index without rows, to count in.
        try home.run("img-cache", ["clean"]).expect(0)
        var random = SeededRandom(seed: UInt64(seed))
        var kills = 0
        for _ in 0..<60 where kills < 20 {
            let before = try rows(root)
            // Once everything is there, it is written over.
            let tool = try home.start(
                "apod-fetch", days + (before == count ? ["--refresh"] : []), stdin: .empty)
            let wanted = before == count ? 0 : before + random.below(count - before)
            switch random.below(3) {
            case 0: _ = tool.waitForOutput(1 + random.below(400_000))
            case 1: _ = eventually { !tool.isRunning || (try? rows(root)).map { $0 > wanted } ?? false }
            default: _ = tool.waitForOutput(1)
            }
            for _ in 0..<random.below(1 << random.below(13)) where tool.isRunning {
                _ = TestFile.exists(home.cacheRoot)
            }
            tool.kill(SIGKILL)
            if tool.wait().signal == SIGKILL { kills += 1 }

            try expectWholeRows(root)
            #expect(try rows(root) >= before)
        }
        #expect(kills == 20, "too many runs are done before they are killed")

        try service.reset()
        let kept = try rows(root)
        try home.run("apod-fetch", days).expect(69)
        #expect(try rows(root) == count)
        // Pages of 25: what is kept is not asked for again.
        #expect(try service.requests().total <= (count - kept) / 25 + 10)
    }

    /// A confined tool may not make the root: it goes on without, and the next run makes it.
    @Test(arguments: [true, false]) func aRootThatIsRemovedUnderAStreamCostsNoDay(_ isConfined: Bool) throws {
        let service = try SampleServer()
        let home = try ToolHome(environment: service.environment)
        let tool = try home.start("apod-fetch", isConfined ? ["-"] : ["--no-confinement", "-"])
        func fetch(_ day: String) throws {
            tool.write("\(day)\n")
            let line = try #require(tool.readLine(), "\(tool.wait())")
            #expect(try Record(parsing: Array(line.utf8)).string("date") == day)
        }
        try fetch("2024-02-01")
        CacheOnDisk(home).remove()
        let after = ["2024-02-02", "2024-02-03"]
        for day in after { try fetch(day) }
        tool.closeInput()
        let output = try tool.wait().expect(0)

        if isConfined {
            #expect(output.errorLines.count <= 1, "\(output)")
            #expect(!TestFile.exists(home.cacheRoot))
            try home.run("apod-fetch", ["-"], stdin: .lines(after)).expect(0)
        } else {
            #expect(output.errorLines == [])
        }
        #expect(try CacheOnDisk(home).query("SELECT name FROM metadata ORDER BY 1") == after)
    }

    // MARK: Where nothing can be written

    @Test(.enabled(if: MountNamespace.isPossible)) func aReadOnlyRootGivesWhatIsThereAndTheRestIsFetched() throws {
        let service = try SampleServer()
        let home = try ToolHome(environment: service.environment)
        try home.run("apod-fetch", ["--date", "2024-02-01"]).expect(0)
        let mounted = try MountNamespace(
            home, "mount --bind \"$ROOT\" \"$ROOT\" && mount -o remount,ro,bind \"$ROOT\"")
        try service.reset()

        let kept = try mounted.run("apod-fetch", ["--date", "2024-02-01"]).expect(0)
        #expect(try kept.record.string("apod.source") == "cache" && kept.errorLines == [], "\(kept)")
        #expect(try service.requests().total == 0)

        let other = try mounted.run("apod-fetch", ["--date", "2024-02-02", "--date", "2024-02-03"]).expect(0)
        #expect(try other.records.map { $0.string("apod.source") } == ["network", "network"])
        #expect(other.errorLines.count == 1 && other.stderr.contains("read-only"), "\(other)")
    }

    /// With a little less room from run to run, the index fails at one step after the other.
    @Test(.enabled(if: MountNamespace.isPossible)) func aFullDiskCostsOnlyWhatWouldHaveBeenKept() throws {
        let service = try SampleServer()
        let home = try ToolHome(environment: service.environment)
        let disk = try MountNamespace(home, "mount -t tmpfs -o size=1536k,mode=700 none \"$ROOT\"")
        let month = ["--service", "science", "--start-date", "2024-01-28", "--end-date", "2024-02-26"]
        let first = try facts(disk.run("apod-fetch", month).expect(0))
        #expect(first.count == 30)
        var warnings: Set<Int> = []
        for room in stride(from: 160, through: 0, by: -20) {
            let script = """
                free=$(df --output=avail -k '\(home.cacheRoot)' | tail -n 1)
                dd if=/dev/zero of='\(home.cacheRoot)/ballast' bs=1024 count=$((free - \(room))) status=none
                """
            _ = try disk.run("/bin/sh", ["-c", script])
            let output = try disk.run("apod-fetch", month + ["--refresh"]).expect(0)
            #expect(try facts(output) == first)
            #expect(output.errorLines.count <= 1, "\(output)")
            warnings.insert(output.errorLines.count)
            try disk.run("/bin/rm", ["\(home.cacheRoot)/ballast"]).expect(0)
        }
        #expect(warnings == [0, 1])

        let root = try disk.copy(as: "copy")
        try expectWholeRows(root)
        #expect(try rows(root) == 30)
    }
}
