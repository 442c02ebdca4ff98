import Formats
import Records
import Support
import TestSupport
import Testing

/// `gif-cache` against the sample service's exercises.
struct GifCacheTests {
    @Test func aGIFIsFetchedOnceAndThenFound() throws {
        let service = try SampleServer()
        let home = try ToolHome(environment: service.environment)
        let record = try home.run("gif-cache", ["put", "0001"]).expect(0).record
        #expect(record.names == ["id", "path", "cache", "gif"])
        #expect(record.string("id") == "0001" && record.string("cache.status") == "miss")
        #expect(record.string("cache.content_type") == "image/gif")
        #expect(
            record.integer("gif.width") == 180 && record.integer("gif.height") == 180
                && record.integer("gif.frames") == 8)
        #expect(record.bool("gif.placeholder") == false)
        #expect(record.integer("gif.duration_ms") ?? 0 > 0)
        let path = try #require(record.string("path"))
        #expect(try Picture.header(path).format == .gif)
        #expect(try home.run("gif-cache", ["put", "0001"]).expect(0).record.string("cache.status") == "hit")
        let found = try home.run("gif-cache", ["get", "0001"]).expect(0).record
        #expect(found.string("path") == path && found.integer("gif.frames") == 8)
        #expect(try service.requests()["/image"] == 1)
        // Each resolution is a GIF of its own.
        let larger = try home.run("gif-cache", ["put", "0001", "--resolution", "360"]).expect(0).record
        #expect(larger.integer("gif.width") == 360 && larger.string("path") != path)
        #expect(try home.run("gif-cache", ["get", "0001", "--resolution", "720"]).status == 1)
    }

    @Test func aBurstThatIsTooFastIsWaitedFor() throws {
        let gif = DrawnAnimation([.gradient(4, 4), .gradient(4, 4)]).gif()
        let asked = Monitor(0)
        let server = try LoopbackServer { request, connection in
            let number = asked.update { number -> Int in
                number += 1
                return number
            }
            guard number > 1 else {
                var refusal = LoopbackResponse.json(#"{"message":"Too many requests"}"#)
                refusal.status = 429
                return try connection.send(refusal, to: request)
            }
            try connection.send(.bytes(gif, type: "image/gif"), to: request)
        }
        let home = try ToolHome(
            environment: ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8", "EXERCISEDB_API_URL": server.address])
        #expect(try home.run("gif-cache", ["put", "0001"]).expect(0).record.string("cache.status") == "miss")
        #expect(asked.withLock { $0 } == 2)
    }

    @Test func recordsNameTheirExercise() throws {
        let home = try Sample.home()
        let lines = [
            "{\"id\":\"0002\",\"name\":\"curl\"}", "{\"exerciseId\":\"0003\"}", "{\"name\":\"none\"}",
            "{\"id\":\"../etc\"}",
        ]
        let output = try home.run("gif-cache", ["put"], stdin: .lines(lines)).expect(65)
        let records = try output.records
        #expect(
            records.map { $0.string("error.code") } == [nil, nil, "no-exercise-id", "bad-exercise-id"], "\(output)")
        #expect(records[0].names == ["id", "name", "path", "cache", "gif"])
        let nested = "{\"exercise\":{\"id\":\"0002\"}}"
        let field = try home.run("gif-cache", ["get", "--id-field", "exercise.id"], stdin: .lines([nested])).expect(0)
            .record
        #expect(field.string("path") == records[0].string("path"))
    }

    @Test func threeAtOnceAndNoMore() throws {
        let service = try SampleServer()
        let slow = service.url("", faults: ["wait-60"])
        let home = try ToolHome(environment: service.environment.merging(["EXERCISEDB_API_URL": slow]) { $1 })
        let ids = (1...12).map { "00" + ($0 < 10 ? "0" : "") + "\($0)" }
        let records = try home.run("gif-cache", ["put"] + ids).expect(0).records
        #expect(records.map { $0.string("id") } == ids)
        let requests = try service.requests()
        #expect(requests.total == 12 && requests.highest == 3, "\(requests)")
    }

    @Test func whatIsNoGIFIsRefused() throws {
        let home = try Sample.home()
        for fault in ["html", "cut-chunked", "wrong-type"] {
            let base = try Sample.service.url("", faults: [fault])
            let output = try home.run(
                "gif-cache", ["put", "0007", "--retries", "0", "--no-placeholder"],
                environment: ["EXERCISEDB_API_URL": base])
            #expect(output.status == (fault == "cut-chunked" ? 75 : 65), "\(output)")
            #expect(try output.record.has("error"))
        }
        #expect(home.blobs == [])
    }

    @Test func eachRefusalOfTheServiceHasItsCode() throws {
        let home = try Sample.home()
        try home.run("gif-cache", ["put", "9999"]).expectFailure(69, code: "unknown-exercise", tool: "gif-cache")
        let service = try SampleServer(["--exercise-key", "right"])
        let closed = ["EXERCISEDB_API_URL": service.address]
        let missing = try home.run("gif-cache", ["put", "0001"], environment: closed).expect(77)
        #expect(try missing.record.string("error.code")?.hasPrefix("api-key-") == true, "\(missing)")
        try home.run("gif-cache", ["put", "0001"], environment: closed.merging(["EXERCISEDB_API_KEY": "wrong"]) { $1 })
            .expectFailure(77, code: "api-key-invalid", tool: "gif-cache")
        _ = try home.run(
            "gif-cache", ["put", "0001"], environment: closed.merging(["EXERCISEDB_API_KEY": "right"]) { $1 }
        ).expect(0)
        let busy = try Sample.service.url("", faults: ["status-429"])
        let quota = try home.run(
            "gif-cache", ["put", "0008", "--retries", "0"], environment: ["EXERCISEDB_API_URL": busy]
        ).expect(75)
        #expect(try quota.record.bool("error.transient") == true)
        let down = try Sample.service.url("", faults: ["status-503"])
        _ = try home.run("gif-cache", ["put", "0008", "--retries", "0"], environment: ["EXERCISEDB_API_URL": down])
            .expect(75)
    }

    @Test func aQuotaThatIsUsedUpIsSaid() throws {
        let message = "{\"message\":\"You have exceeded the MONTHLY quota for Requests on your current plan, BASIC.\"}"
        let server = try LoopbackServer { _ in .json(message, status: 429) }
        let home = try ToolHome(environment: ["EXERCISEDB_API_URL": server.address, "APOD_TOOLS_ALLOW_PRIVATE": "1"])
        let record = try home.run("gif-cache", ["put", "0001"]).expectFailure(
            75, code: "quota-exceeded", tool: "gif-cache")
        #expect(record.string("error.message")?.contains("month") == true)
    }

    @Test func aGIFIsAPictureForTheOtherTools() throws {
        let home = try Sample.home()
        let record = try home.shell("gif-cache put 0004 | img-downsample --width 90").expect(0).record
        #expect(record.string("variants.custom.format") == "gif" && record.integer("variants.custom.width") == 90)
        #expect(try home.run("img-cache", ["ls", "--print", "cache.content_type"]).expect(0).stdout == "image/gif\n")
    }
}
