import Records
import Support
import TestSupport
import Testing

/// `push` saves a root to a remote, and `pull` fills a root from it.
@Suite struct SyncTests {
    /// The reports of the commands, merged into one record.
    private func sync(_ fleet: Fleet, _ machine: String, _ commands: [String] = ["push", "pull"]) throws -> Record {
        let reports = try commands.flatMap { command in
            try fleet.home.run("img-cache", [command, "--json"], environment: fleet.machine(machine)).expect(0).lines
        }
        return try Record(parsing: Array("{\(reports.map { $0.dropFirst().dropLast() }.joined(separator: ","))}".utf8))
    }

    @Test(arguments: Fleet.Kind.possible)
    func pullRestoresPushedEntries(_ kind: Fleet.Kind) throws {
        let fleet = try Fleet(kind)
        let names = (0..<5).map { "\($0)" }
        // The pictures are stored without an upload.
        let put = try fleet.put("one", names, ["APOD_TOOLS_REMOTE_MODE=read"])
        try fleet.home.run(
            "img-downsample", ["--width", "20", "APOD_TOOLS_REMOTE_MODE=read"], stdin: .bytes(put.stdoutBytes),
            environment: fleet.machine("one")
        ).expect(0)
        let pushed = try sync(fleet, "one", ["push"])
        #expect(pushed.integer("pushed.moved") == 10 && pushed.integer("pushed.failed") == 0)
        #expect(!pushed.has("pulled"))
        let again = try sync(fleet, "one")
        #expect(again.integer("pushed.moved") == 0 && again.integer("pushed.there") == 10)
        let pulled = try sync(fleet, "two", ["pull"])
        #expect(pulled.integer("pulled.moved") == 10)
        #expect(try sync(fleet, "two").integer("pulled.there") == 10)

        // The pulled entries work without the remote.
        fleet.killRemote()
        let offline = try fleet.put("two", names, ["--offline"])
        let records = try fleet.home.run(
            "img-downsample", ["--width", "20"], stdin: .bytes(offline.stdoutBytes),
            environment: fleet.machine("two", ["APOD_TOOLS_REMOTE": "file:///nowhere"])
        ).expect(0).records
        #expect(records.allSatisfy { $0.string("variants.custom.status") == "hit" })
        #expect(fleet.origin.asked.count == 5)
        try fleet.home.run("img-cache", ["verify"], environment: fleet.machine("two")).expect(0)
    }

    @Test func pushAndPullMergeTwoRoots() throws {
        let fleet = try Fleet(.folder)
        try fleet.put("one", ["a", "b"], ["APOD_TOOLS_REMOTE_MODE=read"])
        try fleet.put("two", ["b", "c"], ["APOD_TOOLS_REMOTE_MODE=read"])
        _ = try sync(fleet, "one")
        #expect(try sync(fleet, "two").integer("pulled.moved") == 1)
        // Pulls `c`, and renews `b`, because machine two fetched it later than machine one.
        #expect(try sync(fleet, "one").integer("pulled.moved") == 2)
        for machine in ["one", "two"] {
            try fleet.home.run(
                "img-cache", ["has"] + ["a", "b", "c"].map(fleet.origin.url), environment: fleet.machine(machine)
            ).expect(0)
        }
    }

    @Test func pushIncludesDaysThatNoLongerChange() throws {
        let service = try SampleServer(["--today", "2026-11-21"])
        let home = try ToolHome(environment: service.environment)
        let remote = ["--remote", "file://\(try home.folder.makeFolder("mount"))"]
        func on(_ machine: String) -> [String: String?] {
            ["APOD_TOOLS_CACHE_DIR": home.folder.path("cache/\(machine)")]
        }
        let days = ["--date", "2024-02-01..2024-02-20"]
        try home.run("apod-fetch", days, environment: on("one")).expect(0)
        try home.run("img-cache", ["push"] + remote, environment: on("one")).expect(0)
        try home.run("img-cache", ["pull"] + remote, environment: on("two")).expect(0)
        let asked = try service.requests().total
        try home.run("apod-fetch", days, environment: on("two")).expect(0)
        #expect(try service.requests().total == asked)
    }

    @Test func daysFromTheRemoteAreUsedEvenIfTheyCannotBeStored() throws {
        let service = try SampleServer(["--today", "2026-11-21"])
        let home = try ToolHome(environment: service.environment)
        let remote = "file://\(try home.folder.makeFolder("mount"))"
        func fetch(_ machine: String, _ days: String) throws -> ToolOutput {
            let root = home.folder.path("cache/\(machine)")
            return try home.run(
                "apod-fetch", ["--date", days],
                environment: ["APOD_TOOLS_CACHE_DIR": root, "APOD_TOOLS_REMOTE": remote]
            ).expect(0)
        }
        _ = try fetch("one", "2024-02-01..2024-02-03")
        _ = try fetch("two", "2024-03-01")
        let trigger = "CREATE TRIGGER refuses BEFORE INSERT ON metadata BEGIN SELECT abs(-9223372036854775807 - 1); END"
        try CacheOnDisk(home.folder.path("cache/two")).execute(trigger)
        let asked = try service.requests().total
        let output = try fetch("two", "2024-02-01..2024-02-03")
        #expect(try output.records.count == 3 && service.requests().total == asked)
        let fault = "unexpected fault in the cache: SQLite 1: integer overflow"
        #expect(output.errorLines == ["apod-fetch: warning: \(fault); days from the remote are not cached"])
    }

    @Test func pullRespectsTheCapacity() throws {
        let fleet = try Fleet(.folder)
        try fleet.put("one", (0..<10).map { "\($0)" }, ["APOD_TOOLS_REMOTE_MODE=read"])
        _ = try sync(fleet, "one", ["push"])
        let output = try fleet.home.run(
            "img-cache", ["pull", "--capacity", "70kB"], environment: fleet.machine("two")
        ).expect(0)
        #expect(try output.record.integer("pulled.moved") == 3)
        #expect(try output.record.integer("pulled.left_out") == 7)
        #expect(output.stderr.contains("7 items exceed the capacity and were not copied; raise --capacity"))
    }

    @Test func reportsAreSentencesOnATerminal() throws {
        let fleet = try Fleet(.folder)
        try fleet.put("one", ["moon"], ["APOD_TOOLS_REMOTE_MODE=read"])
        func words(_ machine: String, _ command: String) throws -> String {
            try fleet.home.run("img-cache", [command], environment: fleet.machine(machine), stdout: .terminal)
                .expect(0).stdout
        }
        #expect(try words("one", "push") == "pushed 1 item, 20.0 kB; 0 already there\r\n")
        #expect(try words("one", "push") == "pushed 0 items, 0 B; 1 already there\r\n")
        // Removes the document of the entry, but not the list.
        let documents = "\(fleet.address.dropFirst("file://".count))/ac"
        try fleet.home.shell("grep -l -r /moon.gif '\(documents)' | xargs rm").expect(0)
        #expect(try words("two", "pull") == "pulled 0 items, 0 B; 0 already there, 1 listed but missing\r\n")
    }

    @Test(arguments: ["rm", "truncate -s 10k"])
    func pullReportsEntriesWithoutTheirBytesAsFailed(damage: String) throws {
        let fleet = try Fleet(.folder)
        try fleet.put("one", ["moon"], ["APOD_TOOLS_REMOTE_MODE=read"])
        _ = try sync(fleet, "one", ["push"])
        // The list of the scope's entries, which is also in this folder, is smaller than the picture.
        let folder = "\(fleet.address.dropFirst("file://".count))/cas"
        try fleet.home.shell("find '\(folder)' -type f -size +10k -exec \(damage) {} +").expect(0)
        let output = try fleet.home.run("img-cache", ["pull"], environment: fleet.machine("two")).expect(75)
        let pulled = try output.record
        #expect(pulled.integer("pulled.moved") == 0 && pulled.integer("pulled.there") == 0)
        #expect(pulled.integer("pulled.failed") == 1)
    }

    @Test func pushFailsIfTheRemoteIsUnreachable() throws {
        let fleet = try Fleet(.folder)
        try fleet.put("one", ["moon"])
        let output = try fleet.home.run(
            "img-cache", ["push", "--remote", "http://127.0.0.1:9/"], environment: fleet.machine("one"))
        #expect(output.status == 75, "\(output)")
        try fleet.home.run("img-cache", ["push"], environment: fleet.machine("one", ["APOD_TOOLS_REMOTE": ""]))
            .expect(64)
        try fleet.home.run(
            "img-cache", ["pull", "--scope", "alice"], environment: fleet.machine("one")
        ).expectRefusal(64, "img-cache", "alice", "APOD_TOOLS_REMOTE_SCOPES")
    }
}
