import Libc
import Records
import Support
import TestSupport
import Testing

/// Remotes that are down, slow, full or corrupt. No run may fail because of them or accept wrong bytes.
@Suite struct RemoteFaultTests {
    /// Stores eight pictures, one after another, on a fresh machine. All must come from the origin.
    private func expectOriginServes(_ fleet: Fleet, _ options: [String] = []) throws -> ToolOutput {
        let names = (0..<8).map { "fault \($0)" }
        let output = try fleet.put("fresh", names, ["--jobs", "1", "APOD_TOOLS_REMOTE_WAIT=1s"] + options)
        #expect(try output.records.map { $0.string("cache.status") } == Array(repeating: "miss", count: 8), "\(output)")
        #expect(fleet.origin.asked.count { $0.path.contains("fault") } == 8)
        return output
    }

    @Test(arguments: Fleet.Kind.possible.filter { $0 != .folder })
    func runContinuesWithoutAKilledServer(_ kind: Fleet.Kind) throws {
        let fleet = try Fleet(kind)
        try fleet.put("one", ["moon"])
        fleet.killRemote()
        let output = try expectOriginServes(fleet)
        // At most two warnings: one that the run stops reading, and another that it stops writing.
        #expect(output.errorLines.count <= 2, "\(output)")
        #expect(output.stderr.contains("this run"))
        #expect(try fleet.count("fresh", "remote_errors") >= 5)
    }

    @Test func runContinuesWithoutASilentServer() throws {
        let asked = Monitor(0)
        let silent = try LoopbackServer { _, connection in
            asked.withLock { $0 += 1 }
            connection.waitForClient()
        }
        let fleet = try Fleet(remote: silent.address)
        let output = try expectOriginServes(fleet, ["APOD_TOOLS_REMOTE_TIMEOUT=20ms"])
        #expect(
            output.stderr.contains("no response within") || output.stderr.contains("waiting for it has taken"),
            "\(output)")
        // The server receives up to five reads, five writes, and the writes already in progress.
        #expect((2...13).contains(asked.withLock { $0 }))
    }

    @Test func runContinuesWithoutAStalledServer() throws {
        let server = try LoopbackServer { request, connection in
            if request.method != "GET" { return try connection.send(.text("", status: 201), to: request) }
            var response = LoopbackResponse.bytes([], type: "application/json")
            response.set("Content-Length", "1000")
            try connection.send(response.head() + Array("{\"document\":".utf8))
            connection.waitForClient()
        }
        _ = try expectOriginServes(Fleet(remote: server.address), ["APOD_TOOLS_REMOTE_TIMEOUT=20ms"])
    }

    @Test(arguments: [200, 204, 301, 307, 403, 404, 416, 500, 503])
    func runSucceedsForAnyStatusOfTheRemote(_ status: Int) throws {
        let elsewhere = Monitor(0)
        let server = try LoopbackServer { request, connection in
            if request.path == "/elsewhere" { elsewhere.withLock { $0 += 1 } }
            var response = LoopbackResponse.text("<html>please log in</html>", status: status)
            if [301, 307].contains(status) { response.set("Location", "/elsewhere") }
            try connection.send(response, to: request)
        }
        _ = try expectOriginServes(Fleet(remote: server.address))
        // Redirects of a remote are not followed.
        #expect(elsewhere.withLock { $0 } == 0)
    }

    @Test func entryWithoutItsDocumentOrContentIsFetchedAgain() throws {
        let fleet = try Fleet(.folder)
        try fleet.put("one", ["moon"])
        let mount = fleet.home.folder.path("mount")
        try fleet.home.shell("rm '\(mount)'/cas/*").expect(0)
        #expect(try fleet.put("two", ["moon"]).record.string("cache.status") == "miss")
        try fleet.home.shell("rm '\(mount)'/ac/*").expect(0)
        #expect(try fleet.put("three", ["moon"]).record.string("cache.status") == "miss")
        // The document and the content are stored again.
        #expect(try fleet.put("four", ["moon"]).record.bool("cache.remote") == true)
    }

    @Test(arguments: [
        "printf X | dd of=$F bs=1 seek=100 conv=notrunc status=none", "truncate -s 50 $F", "truncate -s +9 $F",
        "cp /bin/true $F", "ln -sf /etc/passwd $F", "rm $F; mkdir $F",
    ])
    func damagedBytesAreReportedAndReplaced(_ damage: String) throws {
        let fleet = try Fleet(.folder)
        try fleet.put("one", ["moon"])
        let mount = fleet.home.folder.path("mount")
        try fleet.home.shell("F=$(echo '\(mount)'/cas/*); \(damage)").expect(0)
        let output = try fleet.put("two", ["moon"])
        #expect(try output.record.string("cache.status") == "miss", "\(output)")
        let path = try #require(try output.record.path("path"))
        #expect(try TestFile.bytes(path) == fleet.origin.picture(fleet.origin.url("moon")))
        if damage.contains("mkdir") || damage.contains("ln") { return }
        #expect(output.stderr.contains("damaged"), "\(output)")
        #expect(try fleet.put("three", ["moon"]).record.bool("cache.remote") == true)
    }

    @Test func recordIsWrittenBeforeTheUploadOfItsPicture() throws {
        let stored = Monitor([String]())
        let isOpen = Monitor(false)
        let server = try LoopbackServer { request, connection in
            if request.method != "PUT" { return try connection.send(.text("no", status: 404), to: request) }
            _ = isOpen.wait { $0 ? true : nil }
            stored.withLock { $0.append(request.path) }
            try connection.send(.text("", status: 201), to: request)
        }
        let fleet = try Fleet(remote: server.address)
        let tool = try fleet.home.start(
            "img-cache",
            ["put", "APOD_TOOLS_REMOTE_TIMEOUT=10s", "APOD_TOOLS_REMOTE_WAIT=30s", fleet.origin.url("moon")],
            stdin: .empty, environment: fleet.machine("one"))
        let line = try #require(tool.readLine())
        #expect(try Record(parsing: Array(line.utf8)).string("cache.status") == "miss")
        #expect(tool.isRunning && stored.withLock { $0.isEmpty })
        isOpen.update { $0 = true }
        let output = tool.wait()
        #expect(output.status == 0, "\(output)")
        #expect(stored.withLock { $0.count } == 2)
    }

    @Test func remoteWaitLimitsTheUploadsAtTheEndOfARun() throws {
        let isOpen = Monitor(false)
        let server = try LoopbackServer { request, connection in
            if request.method != "PUT" { return try connection.send(.text("no", status: 404), to: request) }
            while !isOpen.withLock({ $0 }) {
                guard connection.pause(.milliseconds(20)) else { return connection.close() }
            }
        }
        let fleet = try Fleet(remote: server.address)
        let output = try fleet.put("one", ["moon"], ["APOD_TOOLS_REMOTE_TIMEOUT=60s", "APOD_TOOLS_REMOTE_WAIT=200ms"])
        #expect(output.stderr.contains("1 upload was not finished in time"), "\(output)")
        isOpen.update { $0 = true }
    }

    @Test func signalEndsARunDuringAnUpload() throws {
        let held = Monitor(false)
        let server = try LoopbackServer { request, connection in
            if request.method != "PUT" { return try connection.send(.text("no", status: 404), to: request) }
            held.update { $0 = true }
            connection.waitForClient()
        }
        let fleet = try Fleet(remote: server.address)
        let tool = try fleet.home.start(
            "img-cache",
            ["put", "APOD_TOOLS_REMOTE_TIMEOUT=1h", "APOD_TOOLS_REMOTE_WAIT=1h", fleet.origin.url("moon")],
            stdin: .empty, environment: fleet.machine("one"))
        _ = held.wait { $0 ? true : nil }
        tool.kill(SIGTERM)
        #expect(tool.wait().signal == SIGTERM)
    }

    @Test(.enabled(if: MountNamespace.isPossible))
    func runSucceedsWithAFullMount() throws {
        let fleet = try Fleet(size: 300_000, remote: "file:///unused")
        let mount = try fleet.home.folder.makeFolder("mount")
        let disk = try MountNamespace(fleet.home, "mount -t tmpfs -o size=100k none '\(mount)'")
        let output = try disk.run(
            "img-cache", ["put", "--remote", "file://\(mount)"] + (0..<3).map { fleet.origin.url("\($0)") }
        ).expect(0)
        #expect(try output.records.allSatisfy { $0.string("cache.status") == "miss" })
        // An incomplete file is never visible.
        #expect(try disk.run("/bin/ls", ["-A", "\(mount)/cas"]).stdout == "")
    }

    @Test(.enabled(if: RedisRemote.isPossible))
    func runSucceedsWithAFullRedisServer() throws {
        let home = try ToolHome()
        let redis = try RedisRemote(
            home: home, settings: ["--maxmemory", "3mb", "--maxmemory-policy", "noeviction"])
        let fleet = try Fleet(size: 4_000_000, remote: redis.address)
        let output = try fleet.put("one", ["a", "b"])
        #expect(try output.records.allSatisfy { $0.string("cache.status") == "miss" })
        #expect(try fleet.put("two", ["a"]).record.string("cache.status") == "miss")
    }

    @Test func missingMountIsReported() throws {
        let fleet = try Fleet(remote: "file:///nowhere/at/all")
        let output = try expectOriginServes(fleet)
        #expect(output.stderr.contains("file:///nowhere/at/all"), "\(output)")
    }
}
