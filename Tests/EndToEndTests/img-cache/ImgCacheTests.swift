import Records
import Support
import TestSupport
import Testing

/// `img-cache` from the outside: what is fetched, kept, found and forgotten.
struct ImgCacheTests {
    // MARK: put

    @Test func anAddressIsFetchedOnceAndThenFound() throws {
        let home = try Sample.home()
        let url = try Sample.url("once.jpg")
        let first = try home.run("img-cache", ["put", url]).expect(0).record
        let second = try home.run("img-cache", ["put", url]).expect(0).record
        #expect(first.names == ["url", "path", "cache"])
        #expect(first.string("cache.status") == "miss" && second.string("cache.status") == "hit")
        #expect(first.string("path") == second.string("path"))
        #expect(try Sample.requests(url) == 1)
        let path = try #require(first.string("path"))
        #expect(try TestFile.bytes(path) == LoopbackClient.send(url).body)
        let statistics = try home.statistics()
        #expect(statistics.integer("entries") == 1)
    }

    @Test func aFileIsKeptByteForByte() throws {
        let home = try Sample.home()
        let bytes = DrawnPicture.noise(30, 20, seed: 1).png()
        try home.write("mine.png", bytes)
        let record = try home.run("img-cache", ["put", "mine.png"]).expect(0).record
        #expect(record.names == ["path", "cache"])
        #expect(try TestFile.bytes(try #require(record.string("path"))) == bytes)
        #expect(try home.run("img-cache", ["cat", "mine.png"]).expect(0).stdoutBytes == bytes)
    }

    @Test func aFileThatIsGoneIsStillFound() throws {
        let home = try Sample.home()
        let bytes = DrawnPicture.gradient(4, 4).png()
        try home.write("folder/mine.png", bytes)
        try home.run("img-cache", ["put", "folder/mine.png"]).expect(0)
        try home.shell("rm -r folder").expect(0)
        for name in ["folder/mine.png", "./folder/mine.png", home.path("folder/mine.png")] {
            #expect(try home.run("img-cache", ["cat", name]).expect(0).stdoutBytes == bytes)
        }
    }

    @Test func aRecordNeverNamesAFile() throws {
        let home = try Sample.home()
        let path = try home.write("secret.png", DrawnPicture.gradient(4, 4).png())
        let lines = ["{\"url\":\"\(path)\"}", "{\"image\":\"secret.png\"}", "{\"url\":\"file://\(path)\"}"]
        let output = try home.run("img-cache", ["put"], stdin: .lines(lines))
        #expect(output.status == 69 || output.status == 77, "\(output)")
        #expect(try output.records.allSatisfy { $0.has("error") && !$0.has("path") })
        #expect(home.blobs.isEmpty)
    }

    @Test func theNextFieldStepsInForOneThatIsGoneOrNoPicture() throws {
        let home = try Sample.home()
        let good = try Sample.url("fallback.jpg")
        for fault in ["status-404", "status-410", "html", "status-403"] {
            let bad = try Sample.url("fallback-\(fault).jpg", faults: [fault])
            let input = "{\"hdurl\":\"\(bad)\",\"url\":\"\(good)\"}"
            let record = try home.run("img-cache", ["put"], stdin: .lines([input])).expect(0).record
            #expect(record.string("cache.url") == good, "\(fault)")
            #expect(record.string("hdurl") == bad)
        }
    }

    @Test func aPassingFailureDoesNotMakeDoWithLess() throws {
        let home = try Sample.home()
        let busy = try Sample.url("busy.jpg", faults: ["status-503"])
        let small = try Sample.url("small.jpg")
        let input = "{\"hdurl\":\"\(busy)\",\"url\":\"\(small)\"}"
        try home.run("img-cache", ["put", "--retries", "0"], stdin: .lines([input]))
            .expectFailure(75, code: "server-error", tool: "img-cache")
        #expect(try Sample.requests(small) == 0)
    }

    @Test func everyKnownFieldIsFound() throws {
        let home = try Sample.home()
        let url = try Sample.url("fields.jpg")
        let fields = ["hdurl", "url", "thumbnail_url", "image_url", "image", "gifUrl"].map { "{\"\($0)\":\"\(url)\"}" }
        let lines = fields + ["{\"image\":{\"image_url\":\"\(url)\"}}", "{\"media\":{\"big\":\"\(url)\"}}"]
        let records = try home.run(
            "img-cache",
            ["put", "--url-field", "hdurl,url,thumbnail_url,image_url,image.image_url,image,gifUrl,media.big"],
            stdin: .lines(lines)
        ).expect(0).records
        #expect(records.count == 8 && records.allSatisfy { $0.string("cache.url") == url })
        let standard = try home.run("img-cache", ["put"], stdin: .lines(Array(lines.dropLast()))).expect(0).records
        #expect(standard.count == 7 && standard.allSatisfy { $0.string("cache.status") == "hit" })
        #expect(try Sample.requests(url) == 1)
    }

    @Test func aServerInTroubleIsAskedAgain() throws {
        let home = try Sample.home()
        let url = try Sample.url("again.jpg", faults: ["fail-2-times-503"])
        #expect(try home.run("img-cache", ["put", url]).expect(0).record.string("cache.status") == "miss")
        #expect(try Sample.requests(url) == 3)
    }

    @Test func aDownloadThatBrokeOffGoesOnWhereItStopped() throws {
        let home = try Sample.home()
        let url = try Sample.url("resumed.jpg", faults: ["times-1", "cut-half"])
        let record = try home.run("img-cache", ["put", url]).expect(0).record
        let whole = try LoopbackClient.send(Sample.url("resumed.jpg")).body
        #expect(try TestFile.bytes(try #require(record.string("path"))) == whole)
        #expect(try Sample.requests(url) == 2)
    }

    /// A record put a stranger's picture under another's address.
    @Test func aNameThatLooksLikeAnAddressPoisonsNothing() throws {
        let home = try Sample.home()
        let (good, evil) = (try Sample.url("good.jpg"), try Sample.url("evil.jpg"))
        let line = "{\"id\":\"\(good)\",\"url\":\"\(evil)\"}"
        let byName = ["--key-field", "id"]
        let put = try home.run("img-cache", ["put"] + byName, stdin: .lines([line])).expect(0).record
        #expect(put.string("cache.key") == "key:\(good)")
        try home.run("img-cache", ["has", good]).expect(1)
        let got = try home.run("img-cache", ["get"] + byName, stdin: .lines([line])).expect(0).record
        #expect(got.string("path") == put.string("path"))
        let own = try home.run("img-cache", ["put", good]).expect(0).record
        #expect(own.string("cache.status") == "miss" && own.string("cache.sha256") != put.string("cache.sha256"))
        // Each is found by its key as it is printed.
        for record in [put, own] {
            let key = try #require(record.string("cache.key"))
            #expect(try home.run("img-cache", ["path", key]).expect(0).lines == [record.string("path")])
        }
    }

    @Test func everyCommandThatLooksTakesKeysAsTheyArePrinted() throws {
        let home = try ToolHome()
        let file = try home.write("moon.png", DrawnPicture.noise(20, 10, seed: 1).png())
        _ = try home.run("img-cache", ["put", file]).expect(0)
        _ = try home.run("img-cache", ["put", file, "--key", "moon"]).expect(0)
        try home.keep(DrawnPicture.noise(4, 4, seed: 2).png(), as: "exercisedb:0001@180")
        let keys = try home.run("img-cache", ["ls", "--print", "cache.key"]).expect(0).lines
        #expect(Set(keys) == ["file://\(file)", "key:moon", "exercisedb:0001@180"])
        for command in ["get", "has", "path", "cat", "info", "pin", "unpin", "rm"] {
            try home.run("img-cache", [command] + keys).expect(0)
        }
        for command in ["get", "has", "path"] { try home.run("img-cache", [command] + keys).expect(1) }
        try home.run("img-cache", ["put", file, "--key", "key:moon"]).expect(0)
        try home.run("img-cache", ["has", "--key", "moon"]).expect(0)
    }

    @Test func keysMayBeOnesOwn() throws {
        let home = try Sample.home()
        let (one, two) = (try Sample.url("key-one.jpg"), try Sample.url("key-two.jpg"))
        let mine = try home.run("img-cache", ["put", one, "--key", "mine"]).expect(0).record
        #expect(mine.string("cache.key") == "key:mine")
        #expect(
            try home.run("img-cache", ["put", two, "--key", "mine"]).expect(0).record.string("cache.status") == "hit")
        // The key alone names the picture, whatever stands on standard input.
        let got = try home.run("img-cache", ["get", "--key", "mine"], stdin: .lines(["{}", "{}"])).expect(0).records
        #expect(got.map { $0.string("path") } == [mine.string("path")])
        try home.run("img-cache", ["has", "--key", "mine"]).expect(0)
        try home.run("img-cache", ["has", "--key", "yours"]).expect(1)
        let input = "{\"id\":\"mine\",\"url\":\"\(two)\"}"
        let byField = try home.run("img-cache", ["put", "--key-field", "id"], stdin: .lines([input])).expect(0).record
        #expect(byField.string("path") == mine.string("path"))
        #expect(try Sample.requests(two) == 0)
        try home.run("img-cache", ["put", one, two, "--key", "mine"]).expectRefusal(64, "img-cache", "--key-field")
        // Parameters without meaning.
        let tracked = try Sample.url("tracked.jpg")
        _ = try home.run("img-cache", ["put", tracked + "?utm=a", "--key-ignore-query", "utm"]).expect(0)
        let other = try home.run("img-cache", ["put", tracked + "?utm=b", "--key-ignore-query", "utm"]).expect(0)
        #expect(try other.record.string("cache.status") == "hit")
    }

    // MARK: Looking

    @Test func whatWasPutIsFoundByEveryCommand() throws {
        let home = try Sample.home()
        let url = try Sample.url("found.jpg")
        let put = try home.run("img-cache", ["put", url]).expect(0).record
        let path = try #require(put.string("path"))
        let get = try home.run("img-cache", ["get", url]).expect(0).record
        #expect(get.string("path") == path && get.string("cache.status") == "hit")
        #expect(
            try home.run("img-cache", ["get"], stdin: .lines(["{\"url\":\"\(url)\"}"])).expect(0).record.string("path")
                == path)
        #expect(try home.run("img-cache", ["has", url]).expect(0).stdout == "")
        #expect(try home.run("img-cache", ["path", url]).expect(0).stdout == path + "\n")
        #expect(try home.run("img-cache", ["path", "-0", url]).expect(0).stdout == path + "\0")
        #expect(
            try home.run("img-cache", ["cat", url, url]).expect(0).stdoutBytes.count == 2 * TestFile.bytes(path).count)
        let list = try home.run("img-cache", ["ls"]).expect(0).record
        #expect(list.string("path") == path && list.string("cache.url") == url)
        #expect(try home.run("img-cache", ["ls", "--print", "cache.url"]).expect(0).stdout == url + "\n")
        #expect(try Sample.requests(url) == 1)
    }

    @Test func removingTakesThePictureAndWhatWasMadeFromIt() throws {
        let home = try Sample.home()
        let url = try Sample.url("removed.jpg")
        let script = "img-cache put \(url) | img-downsample --variant pager,overlay"
        _ = try home.shell(script).expect(0)
        #expect(home.blobs.count == 3)
        #expect(try home.run("img-cache", ["ls", "--variants"]).expect(0).records.count == 3)
        _ = try home.run("img-cache", ["rm", url]).expect(0)
        #expect(home.blobs == [])
        #expect(try home.run("img-cache", ["ls", "--variants"]).expect(0).stdout == "")
        try home.run("img-cache", ["rm", url]).expectRefusal(1, "img-cache", "not in the cache")
    }

    @Test func statisticsCountWhatHappened() throws {
        let home = try Sample.home()
        let url = try Sample.url("counted.jpg")
        for _ in 0..<3 { _ = try home.run("img-cache", ["put", url]).expect(0) }
        let bad = try Sample.url("counted.jpg", faults: ["status-404"])
        _ = try home.run("img-cache", ["put", bad])
        let output = try home.run("img-cache", ["stats", "--json"]).expect(0)
        let statistics = try output.record
        #expect(statistics.integer("entries") == 1, "\(output)")
        #expect(output.stdout.contains("\"hits\":2"), "\(output)")
        #expect(output.stdout.contains("\"misses\":1"), "\(output)")
        #expect(output.stdout.contains("\"not-found\":1"), "\(output)")
        #expect(try home.run("img-cache", ["stats"]).expect(0).stdout.contains("hits"))
    }

    @Test func statisticsLeaveInSeveralFormatsAndAsAWholeFile() throws {
        let home = try Sample.home()
        let url = try Sample.url("formats.jpg")
        for scope in ["alice", "bob"] { _ = try home.run("img-cache", ["put", url, "--scope", scope]).expect(0) }
        let alice = try home.run("img-cache", ["stats", "--scope", "alice", "--format", "prometheus"]).expect(0)
        #expect(alice.lines.contains("apod_tools_cache_misses_total{scope=\"alice\"} 1"), "\(alice)")
        #expect(!alice.stdout.contains("bob"), "\(alice)")
        let file = try home.write("img-cache.prom", "the older one")
        let written = try home.run(
            "img-cache", ["stats", "--format", "prometheus", "--output", file, "--zero"]
        ).expect(0)
        #expect(written.stdout == "")
        let text = try TestFile.text(file)
        #expect(text.hasPrefix("# HELP apod_tools_cache_entries") && text.contains("misses_total{scope=\"bob\"} 1"))
        #expect(TemporaryFolder.names(in: home.work) == ["img-cache.prom"])
        #expect(try home.run("img-cache", ["stats", "--json"]).expect(0).stdout.contains("\"misses\":1") == false)
        // What cannot be written is not zeroed either.
        _ = try home.run("img-cache", ["put", url, "--scope", "bob"]).expect(0)
        try home.run("img-cache", ["stats", "--zero", "--output", "missing/x"]).expectRefusal(
            73, "img-cache", "missing/x")
        #expect(try home.run("img-cache", ["stats", "--json"], stdout: .file("/dev/null")).status == 0)
        #expect(try home.run("img-cache", ["stats", "--zero"]).expect(0).stdout.contains("found 1 of 1"))
        try home.run("img-cache", ["stats", "--format", "xml"]).expectRefusal(64, "img-cache", "--format", "xml")
        try home.run("img-cache", ["stats", "--json", "--format", "text"]).expectRefusal(64, "img-cache", "--json")
    }

    // MARK: Age

    @Test func anExpiredPictureIsRevalidatedNotFetchedAnew() throws {
        let service = try SampleServer(["--size", "64x48"])
        let home = try ToolHome(environment: service.environment)
        let url = service.url("/pictures/old.jpg")
        _ = try home.run("img-cache", ["put", url, "--ttl", "0s"]).expect(0)
        let second = try home.run("img-cache", ["put", url, "--ttl", "0s"]).expect(0).record
        #expect(second.string("cache.status") == "revalidated")
        #expect(try service.requests()["/pictures/old.jpg"] == 2)
        // What has changed meanwhile is fetched.
        try service.changePictures()
        let third = try home.run("img-cache", ["put", url]).expect(0).record
        #expect(third.string("cache.status") == "miss")
        #expect(third.string("cache.sha256") != second.string("cache.sha256"))
        #expect(
            try home.run("img-cache", ["put", url, "--refresh"]).expect(0).record.string("cache.status")
                == "revalidated")
    }

    @Test func aServerThatIsGoneLeavesTheOldCopyWithAWarning() throws {
        let service = try SampleServer(["--size", "64x48"])
        let home = try ToolHome(environment: service.environment)
        let url = service.url("/pictures/stale.jpg")
        _ = try home.run("img-cache", ["put", url, "--ttl", "0s"]).expect(0)
        service.stop()
        let stale = try home.run("img-cache", ["put", url, "--retries", "0"]).expect(0)
        #expect(try stale.record.string("cache.status") == "stale")
        #expect(stale.errorLines.count == 1 && stale.stderr.hasPrefix("img-cache: warning: "), "\(stale)")
        #expect(try home.run("img-cache", ["put", url, "--retries", "0", "-q"]).expect(0).stderr == "")
        try home.run("img-cache", ["put", url, "--retries", "0", "--no-stale"])
            .expectFailure(75, code: "connection-failed", tool: "img-cache")
        // Looking never asks the network, and says that it is stale.
        #expect(try home.run("img-cache", ["get", url]).expect(0).record.string("cache.status") == "stale")
        #expect(
            try home.run("img-cache", ["put", url, "--offline"]).expect(0).record.string("cache.status") == "stale")
    }

    @Test func offlineNeverOpensAConnection() throws {
        let home = try Sample.home()
        let url = try Sample.url("offline.jpg")
        try home.run("img-cache", ["put", "--offline", url]).expectFailure(75, code: "offline", tool: "img-cache")
        #expect(try Sample.requests(url) == 0)
        try home.run("img-cache", ["put", "--offline", "--refresh", url]).expectRefusal(64, "img-cache", "--offline")
    }

    // MARK: Room

    @Test func theLeastRecentlyUsedGoesWhenThereIsNoRoom() throws {
        let home = try Sample.home()
        let urls = try (1...4).map { try Sample.url("room-\($0).png") }
        let first = try home.run("img-cache", ["put", urls[0]]).expect(0).record
        let size = try #require(first.integer("cache.bytes"))
        // Room for two pictures and a half, and no promise that a path stays valid.
        for url in urls {
            _ = try home.run("img-cache", ["put", url, "--capacity", "\(size * 5 / 2)", "--lease", "0s"]).expect(0)
        }
        #expect(try home.run("img-cache", ["has", urls[3]]).status == 0)
        #expect(try home.run("img-cache", ["has", urls[1]]).status == 1)
        #expect(home.blobs.count < 4)
    }

    @Test func aLeaseBeatsTheCapacityWithAWarning() throws {
        let home = try Sample.home()
        let urls = try (1...3).map { try Sample.url("lease-\($0).png") }
        let output = try home.run("img-cache", ["put", "--capacity", "1KB"] + urls).expect(0)
        for record in try output.records { #expect(TestFile.exists(try #require(record.string("path")))) }
        #expect(output.errorLines.count == 1 && output.stderr.hasPrefix("img-cache: warning: "), "\(output)")
        #expect(try home.statistics().integer("bytes") ?? 0 > 1000)
    }

    // MARK: Scopes and privacy

    @Test func scopesNeverSeeOneAnother() throws {
        let home = try Sample.home()
        let url = try Sample.url("scoped.jpg")
        let alice = try home.run("img-cache", ["put", "--scope", "alice", url]).expect(0).record
        #expect(alice.string("cache.scope") == "alice")
        #expect(try home.run("img-cache", ["has", url]).status == 1)
        #expect(try home.run("img-cache", ["has", "--scope", "bob", url]).status == 1)
        #expect(try home.run("img-cache", ["has", url], environment: ["APOD_TOOLS_SCOPE": "alice"]).status == 0)
        let bob = try home.run("img-cache", ["put", url], environment: ["APOD_TOOLS_SCOPE": "bob"]).expect(0).record
        #expect(bob.string("cache.status") == "miss")
        #expect(bob.string("path") != alice.string("path"))
        _ = try home.run("img-cache", ["rm", "--scope", "bob", url]).expect(0)
        #expect(try home.run("img-cache", ["has", "--scope", "alice", url]).status == 0)
        #expect(try Sample.requests(url) == 2)
    }

    @Test func nobodyElseCanReadTheCache() throws {
        let home = try Sample.home()
        _ = try home.shell("img-cache put \(Sample.url("modes.jpg")) | img-downsample --variant pager").expect(0)
        let below = home.folder.contents().filter { $0.hasPrefix("cache/apod-tools") }
        #expect(below.contains("cache/apod-tools/CACHEDIR.TAG"))
        for name in below {
            let mode = TestFile.mode(home.folder.path(name))
            #expect(mode == 0o700 || mode == 0o600, "\(name): \(String(mode ?? 0, radix: 8))")
        }
    }
}
