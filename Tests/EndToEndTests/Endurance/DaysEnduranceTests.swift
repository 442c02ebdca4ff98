import Libc
import Records
import Support
import TestSupport
import Testing

/// Days stored in a root that many processes write, that is removed during a run, or that cannot be written.
@Suite(.serialized)
struct DaysEnduranceTests {
    /// A range of 400 published days, some without a picture. A single service is used, so each day has one row.
    private let days = ["APOD_TOOLS_SERVICE=science", "--date", "2023-01-01..2024-02-04"]
    private let count = 400

    /// The fields of each record that are the same for a fetched and a stored day.
    private func facts(_ output: ToolOutput) throws -> [[String?]] {
        try output.records.map { record in
            ["date", "title", "explanation", "url", "hdurl", "error.code"].map { record.string($0) }
        }
    }

    @Test func concurrentProcessesStoreEachDayOnce() throws {
        let service = try SampleServer()
        let home = try ToolHome(environment: service.environment)
        let tools = try (0..<8).map { _ in try home.start("apod-fetch", days, stdin: .empty) }
        let outputs = tools.map { $0.wait(deadline: .seconds(300)) }

        let first = try facts(outputs[0])
        #expect(first.count == count)
        for output in outputs {
            // Standard error reports only the days without a picture, each in a message or all in a total.
            #expect(output.status == 69, "\(output)")
            #expect(
                try RecordLaws.reportedFailures(output.errorLines) == output.records.count { $0.has("error") },
                "\(output)")
            #expect(try facts(output) == first)
        }
        let root = CacheOnDisk(home)
        try root.expectWholeMetadata()
        #expect(try root.metadataCount() == count)
        #expect(try root.number("SELECT count(DISTINCT name) FROM metadata") == count)

        // All days are stored, so the next run sends no request.
        try service.reset()
        let again = try home.run("apod-fetch", days).expect(69)
        #expect(try facts(again) == first)
        #expect(try service.requests().total == 0)
        let metadata = try home.statistics()
        #expect(metadata.integer("metadata.count") == count && metadata.integer("entries") == 0)
    }

    /// A confined tool cannot create the root, so it continues without a cache, and the next run creates the root.
    @Test(arguments: [true, false]) func rootRemovedDuringARunLosesNoRequestedDay(_ isConfined: Bool) throws {
        let service = try SampleServer()
        let home = try ToolHome(environment: service.environment)
        let tool = try home.start("apod-fetch", isConfined ? ["-"] : ["APOD_TOOLS_CONFINEMENT=false", "-"])
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

    // MARK: Read-only roots and full disks

    @Test(.enabled(if: MountNamespace.isPossible)) func readOnlyRootServesStoredDaysAndOthersAreFetched() throws {
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

    /// Each run has less free space than the run before, so each step of a write fails in some run.
    @Test(.enabled(if: MountNamespace.isPossible)) func fullDiskLosesOnlyNewRows() throws {
        let service = try SampleServer()
        let home = try ToolHome(environment: service.environment)
        let disk = try MountNamespace(home, "mount -t tmpfs -o size=1536k,mode=700 none \"$ROOT\"")
        let month = ["APOD_TOOLS_SERVICE=science", "--date", "2024-01-28..2024-02-26"]
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
        try root.expectWholeMetadata()
        #expect(try root.metadataCount() == 30)
    }
}
