import Records
import Support
import TestSupport
import Testing

/// A remote controlled by an attacker costs a run no more requests and memory than `docs/remote.md` states. The tests
/// count connections, because times depend on the machine's load. The limit of a request's time has its own tests.
@Suite struct HostileRemoteTests {
    /// The timeouts are a fifth of the defaults, which makes the tests fast.
    private static let options = ["APOD_TOOLS_REMOTE_TIMEOUT=50ms", "APOD_TOOLS_REMOTE_WAIT=1s", "--jobs", "1"]
    /// The additional memory that a remote may cost.
    private static let memoryLimit = 50 << 20

    /// A run stops reading after five failed reads, and writing after five failed writes. Each request may be repeated
    /// once over a new connection.
    private static let connectionLimit = 20

    /// The results of a run without a remote.
    private static let plain = Result { try put(Fleet(remote: ""), "plain") }

    /// Fetches pictures. Returns the output and the peak memory.
    private static func put(_ fleet: Fleet, _ machine: String) throws -> (ToolOutput, memory: Int) {
        let tool = try fleet.home.start(
            "img-cache", ["put"] + options + (0..<7).map { fleet.origin.url("\($0)") }, stdin: .empty,
            environment: fleet.machine(machine))
        var memory = 0
        while tool.isRunning {
            memory = max(memory, tool.peakMemory ?? 0)
            _ = tool.waitForErrors("never printed", within: .milliseconds(10))
        }
        return (tool.wait(), memory)
    }

    @Test(arguments: HostileMode.all)
    func hostileServerReceivesFewRequestsAndCostsLittleMemory(_ mode: HostileMode) throws {
        let (server, address) = try mode.start()
        defer { server.stop() }
        let fleet = try Fleet(remote: address)
        let plain = try Self.plain.get()
        let hostile = try Self.put(fleet, "hostile")
        #expect(hostile.0.status == 0, "\(hostile.0)")
        #expect(try hostile.0.records.allSatisfy { $0.string("cache.status") == "miss" }, "\(hostile.0)")
        #expect(fleet.origin.asked.count == 7)
        #expect(server.acceptedCount <= Self.connectionLimit, "\(hostile.0)")
        #expect(hostile.memory - plain.memory < Self.memoryLimit)
        // Reading, writing and waiting for leases are each abandoned with a warning.
        #expect((1...3).contains(hostile.0.errorLines.count) || hostile.0.stderr.contains("damaged"), "\(hostile.0)")
    }

    @Test func runWarnsOnceWhenItStopsWaitingForLeases() throws {
        let mode = try #require(HostileMode.all.last)
        let (server, address) = try mode.start()
        defer { server.stop() }
        let output = try Self.put(try Fleet(remote: address), "one").0
        #expect(output.errorLines.count { $0.contains("no longer waits for them") } == 1, "\(output)")
    }

    @Test func passwordRepeatedByAServerIsNotShown() throws {
        let redis = try LoopbackServer(serve: { connection in
            while try !connection.receive(atMost: 1 << 16).isEmpty {
                try connection.send(Array("-WRONGPASS \(String(repeating: "x", count: 300)) p/4ss wörd!\r\n".utf8))
            }
        })
        let http = try LoopbackServer { request, connection in
            let header = request.header("Authorization") ?? ""
            try connection.send(.text("no \(header) p/4ss-word", status: 403), to: request)
        }
        let remotes = [
            "redis://user:p%2F4ss%20w%C3%B6rd!@127.0.0.1:\(redis.port)",
            "http://user:p%2F4ss-word@127.0.0.1:\(http.port)/",
        ]
        for remote in remotes {
            let fleet = try Fleet(remote: remote)
            let metrics = fleet.home.path("metrics")
            let output = try fleet.put("one", ["a"], ["-vv", "APOD_TOOLS_METRICS=\(metrics)"])
            let text = try output.stderr + String(decoding: TestFile.bytes(metrics), as: UTF8.self)
            #expect(text.contains("this run"), "\(output)")
            #expect(!text.contains("4ss") && !text.contains("dXNlcj"), "\(output)")
        }
    }
}
