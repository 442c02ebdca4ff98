import Libc
import Records
import Support
import TestSupport
import Testing

/// Many concurrent processes on many roots.
@Suite(.serialized) struct FleetTests {
    /// Starts processes that request the same pictures, distributed over `roots` roots.
    private func crowd(_ fleet: Fleet, processes: Int, roots: Int, _ names: [String]) throws -> [ToolOutput] {
        let tools = try (0..<processes).map { number in
            try fleet.home.start(
                "img-cache", ["put", "APOD_TOOLS_REMOTE_WAIT=30s"] + names.map(fleet.origin.url), stdin: .empty,
                environment: fleet.machine("root\(number % roots)"))
        }
        return tools.map { $0.wait() }
    }

    private func expectWhole(_ outputs: [ToolOutput], _ fleet: Fleet) throws {
        for output in outputs {
            #expect(output.status == 0 && output.stderr == "", "\(output)")
            for record in try output.records {
                let (path, url) = (try #require(try record.path("path")), try #require(record.string("url")))
                #expect(try TestFile.bytes(path) == fleet.origin.picture(url))
            }
        }
    }

    @Test(.enabled(if: RedisRemote.isPossible))
    func fiftyProcessesOnEightRootsSendOneRequestPerPicture() throws {
        let fleet = try Fleet(.redis)
        let names = (0..<4).map { "\($0)" }
        let outputs = try crowd(fleet, processes: 50, roots: 8, names)
        try expectWhole(outputs, fleet)
        #expect(fleet.origin.asked.count == 4)
        #expect(try outputs.flatMap { try $0.records }.count { $0.string("cache.status") == "miss" } == 4)
    }

    @Test(arguments: Fleet.Kind.possible.filter { $0 != .redis })
    func rootsWithoutRemoteLeasesSendAtMostOneRequestEach(_ kind: Fleet.Kind) throws {
        let fleet = try Fleet(kind)
        let names = (0..<4).map { "\($0)" }
        try expectWhole(crowd(fleet, processes: 16, roots: 8, names), fleet)
        for name in names {
            #expect((1...8).contains(fleet.origin.asked.count { fleet.origin.url(name).hasSuffix($0.path) }))
        }
    }

    @Test(.enabled(if: RedisRemote.isPossible))
    func leaseOfAKilledProcessExpires() throws {
        let fleet = try Fleet(.redis, size: 200_000, stalls: 1)
        let first = try fleet.home.start(
            "img-cache", ["put", fleet.origin.url("moon")], stdin: .empty, environment: fleet.machine("one"))
        #expect(fleet.origin.waitUntilStalled())
        let second = try fleet.home.start(
            "img-cache", ["put", "-v", fleet.origin.url("moon")], stdin: .empty, environment: fleet.machine("two"))
        #expect(second.waitForErrors("waiting for another machine"))
        first.kill(SIGKILL)
        let output = second.wait()
        #expect(output.status == 0, "\(output)")
        #expect(fleet.origin.asked.count == 2)
        #expect(try output.record.string("cache.status") == "miss")
    }
}
