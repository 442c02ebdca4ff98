import Libc
import Records
import Support
import TestSupport
import Testing

/// Entries that machines share through a remote.
@Suite struct SharedCacheTests {
    @Test(arguments: Fleet.Kind.possible)
    func storedEntriesServeOtherMachines(_ kind: Fleet.Kind) throws {
        let fleet = try Fleet(kind)
        let names = (0..<6).map { "\($0)" }
        func run(_ machine: String) throws -> [Record] {
            let put = try fleet.put(machine, names)
            return try fleet.home.run(
                "img-downsample", ["--width", "20", "--variant", "pager"], stdin: .bytes(put.stdoutBytes),
                environment: fleet.machine(machine)
            ).expect(0).records
        }
        let first = try run("one")
        let second = try run("two")
        #expect(fleet.origin.asked.count == 6)
        #expect(first.allSatisfy { $0.string("cache.status") == "miss" && !$0.has("cache.remote") })
        for (one, two) in zip(first, second) {
            #expect(two.string("cache.status") == "hit" && two.bool("cache.remote") == true)
            #expect(one.string("variants.custom.status") == "made" && two.string("variants.custom.status") == "hit")
            for field in ["cache.sha256", "cache.fetched_at", "cache.expires_at", "cache.url", "cache.content_type"] {
                let path = try #require(FieldPath(field))
                #expect(one.string(path) == two.string(path))
            }
            let (a, b) = (
                try #require(try one.path("variants.custom.path")), try #require(try two.path("variants.custom.path"))
            )
            #expect(a != b)
            #expect(try TestFile.bytes(a) == TestFile.bytes(b))
        }
        #expect(try fleet.count("two", "remote_hits") == 18)
        #expect(try fleet.count("two", "variants_made") == 0)
        #expect(try fleet.count("one", "remote_stored") == 18)
        try fleet.home.run("img-cache", ["verify"], environment: fleet.machine("two")).expect(0)
    }

    @Test(arguments: Fleet.Kind.possible)
    func largePictureIsTransferredCompletely(_ kind: Fleet.Kind) throws {
        // The picture takes several pieces, and the last piece is incomplete.
        let fleet = try Fleet(kind, size: 5_300_001)
        try fleet.put("one", ["large"])
        let path = try #require(try fleet.put("two", ["large"]).record.path("path"))
        #expect(try TestFile.bytes(path) == fleet.origin.picture(fleet.origin.url("large")))
        #expect(fleet.origin.asked.count == 1)
    }

    @Test(.enabled(if: NginxRemote.isPossible && SecureServer.isPossible))
    func serverMayRequireTLSAndAPassword() throws {
        let home = try ToolHome()
        try SecureServer.makeCertificates(in: home)
        let nginx = try NginxRemote(home: home, isEncrypted: true, password: "Basic dXNlcjpnZWhlaW0=")
        let fleet = try Fleet(remote: nginx.address)
        let headers = try fleet.home.write("headers", "# for the remote\nAuthorization: Basic dXNlcjpnZWhlaW0=\n")
        chmod(headers, 0o600)
        let options = ["APOD_TOOLS_REMOTE_HEADER_FILE=\(headers)", "APOD_TOOLS_REMOTE_CACERT=\(home.path("ca.pem"))"]
        try fleet.put("one", ["moon"], options)
        #expect(try fleet.put("two", ["moon"], options).record.bool("cache.remote") == true)
        #expect(nginx.files.count == 2)
        // Without the password or a trusted certificate, the run works as without a remote, and warns once each for
        // reading and writing.
        for options in [Array(options.dropFirst()), Array(options.prefix(1))] {
            let output = try fleet.put("three", ["a", "b", "c"], ["--jobs", "1"] + options)
            #expect(output.errorLines.count == 2, "\(output)")
            #expect(output.errorLines.allSatisfy { $0.contains(nginx.address) }, "\(output)")
            #expect(!output.stderr.contains("dXNlcjpnZWhlaW0"))
            try fleet.home.run("img-cache", ["scope", "purge", "--all-scopes"], environment: fleet.machine("three"))
                .expect(0)
        }
    }

    @Test(.enabled(if: RedisRemote.isPossible))
    func redisUserNeedsFewPermissions() throws {
        let home = try ToolHome()
        let rules =
            "on >geheim ~apod-tools:* +getrange +strlen +set +psetex +setrange +pexpire +unlink +incr +eval +get +del +pttl"
        let acl = try home.write("users.acl", "user default off\nuser tools \(rules)\n")
        let redis = try RedisRemote(home: home, settings: ["--aclfile", acl], user: "tools:geheim")
        let fleet = try Fleet(size: 2_200_000, remote: redis.address)
        try fleet.put("one", ["moon"])
        #expect(try fleet.put("two", ["moon"]).record.bool("cache.remote") == true)
        // The message about a wrong password does not quote it.
        let wrong = try Fleet(remote: redis.address.replacing(text: "geheim", with: "falsch"))
        let output = try wrong.put("one", ["moon"])
        #expect(output.stderr.contains("WRONGPASS"), "\(output)")
        #expect(!output.stderr.contains("falsch"))
    }

    @Test func onlyConfiguredScopesAreShared() throws {
        let fleet = try Fleet(.folder)
        try fleet.put("one", ["moon"], ["--scope", "alice"])
        #expect(try fleet.put("two", ["moon"], ["--scope", "alice"]).record.string("cache.status") == "miss")
        try fleet.put("one", ["mars"], ["--scope", "alice", "APOD_TOOLS_REMOTE_SCOPES=default,alice"])
        let shared = try fleet.put("two", ["mars"], ["--scope", "alice", "APOD_TOOLS_REMOTE_SCOPES=*"])
        #expect(try shared.record.bool("cache.remote") == true)
        // The picture is not shared with another scope.
        #expect(try fleet.put("two", ["mars"]).record.string("cache.status") == "miss")
    }

    @Test func remoteModeLimitsReadsAndWrites() throws {
        let fleet = try Fleet(.folder)
        try fleet.put("one", ["moon"], ["APOD_TOOLS_REMOTE_MODE=read"])
        #expect(fleet.home.folder.contents().filter { $0.hasPrefix("mount/") && $0.contains("/ac/") }.isEmpty)
        try fleet.put("two", ["moon"], ["APOD_TOOLS_REMOTE_MODE=write"])
        #expect(
            try fleet.put("three", ["moon"], ["APOD_TOOLS_REMOTE_MODE=write"]).record.string("cache.status") == "miss")
        #expect(try fleet.put("four", ["moon"], ["APOD_TOOLS_REMOTE_MODE=read"]).record.bool("cache.remote") == true)
        #expect(try fleet.put("five", ["moon"], ["--offline"], status: 75).record.string("error.code") == "offline")
    }

    @Test func documentsNotSignedByTheKeyAreIgnored() throws {
        let fleet = try Fleet(.folder)
        let key = try fleet.home.write("key", "0123456789abcdef0123456789abcdef")
        let other = try fleet.home.write("other", "another key that is long enough!")
        for file in [key, other] { chmod(file, 0o600) }
        try fleet.put("one", ["moon"])
        let signed = ["APOD_TOOLS_REMOTE_KEY_FILE=\(key)"]
        #expect(try fleet.put("two", ["moon"], signed).record.string("cache.status") == "miss")
        #expect(try fleet.put("three", ["moon"], signed).record.bool("cache.remote") == true)
        #expect(
            try fleet.put("four", ["moon"], ["APOD_TOOLS_REMOTE_KEY_FILE=\(other)"]).record.string("cache.status")
                == "miss")
        let short = try fleet.home.write("short", "secret")
        try fleet.home.run(
            "img-cache", ["put", "APOD_TOOLS_REMOTE_KEY_FILE=\(short)", fleet.origin.url("moon")],
            environment: fleet.machine("five")
        ).expectRefusal(78, "img-cache", "short", "16")
    }

    @Test func daysAndListsAreShared() throws {
        let service = try SampleServer(["--today", "2026-11-21"])
        let home = try ToolHome(environment: service.environment)
        let mount = try home.folder.makeFolder("mount")
        func run(_ machine: String, _ tool: String, _ arguments: [String]) throws -> ToolOutput {
            try home.run(
                tool, arguments,
                environment: [
                    "APOD_TOOLS_CACHE_DIR": home.folder.path("cache/\(machine)"),
                    "APOD_TOOLS_REMOTE": "file://\(mount)",
                ]
            ).expect(0)
        }
        let days = ["--date", "2024-02-01..2024-02-20", "--print", "date,title"]
        let first = try run("one", "apod-fetch", days)
        let asked = try service.requests().total
        #expect(asked > 0)
        let second = try run("two", "apod-fetch", days)
        #expect(second.stdout == first.stdout)
        #expect(try service.requests().total == asked)

        let list = try run("one", "gif-cache", ["list", "--body-part", "back"])
        let put = try run("one", "gif-cache", ["put", "0001"])
        let askedForGIFs = try service.requests().total
        #expect(try run("two", "gif-cache", ["list", "--body-part", "back"]).stdout == list.stdout)
        let gif = try run("two", "gif-cache", ["put", "0001"]).record
        #expect(gif.string("cache.sha256") == (try put.record.string("cache.sha256")))
        #expect(gif.bool("cache.remote") == true && gif.integer("gif.frames") != nil)
        #expect(try service.requests().total == askedForGIFs)
    }

    @Test func metricsStatisticsAndExplainReportTheRemote() throws {
        let fleet = try Fleet(.folder)
        func explain() throws -> Record {
            try fleet.home.run(
                "img-cache", ["explain", "--json", fleet.origin.url("moon")], environment: fleet.machine("two")
            ).expect(0).record
        }
        #expect(try explain().string("explain.decision") == "fetch")
        #expect(try explain().string("explain.remote.status") == "miss")
        let metrics = fleet.home.path("metrics.ndjson")
        try fleet.put("one", ["moon"], ["APOD_TOOLS_METRICS=\(metrics)"])
        #expect(try explain().string("explain.decision") == "remote")
        #expect(try explain().integer("explain.remote.bytes") == fleet.origin.size)
        try fleet.put("two", ["moon"], ["APOD_TOOLS_METRICS=\(metrics)"])
        let events = try String(decoding: TestFile.bytes(metrics), as: UTF8.self).split(separator: "\n").map {
            try Record(parsing: Array($0.utf8))
        }.filter { $0.string("event") == "remote" }
        #expect(
            events.map { "\($0.string("op")!) \($0.string("status")!)" } == [
                "get miss", "put stored", "get hit", "get hit",
            ])
        let text = try fleet.home.run(
            "img-cache", ["stats", "--format", "prometheus"], environment: fleet.machine("two")
        ).expect(0).stdout
        #expect(text.contains("remote_hits_total{scope=\"default\"} 1"), "\(text)")
        #expect(text.contains("from_remote_bytes_total{scope=\"default\"} \(fleet.origin.size)"), "\(text)")
    }
}
