import Records
import Support
import TestSupport
import Testing

/// The requests that `gif-cache` sends to its service.
struct ExerciseServiceTests {
    @Test func putRetriesAfterTheBurstLimit() throws {
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

    @Test func atMostThreeRequestsRunConcurrently() throws {
        let service = try SampleServer()
        let slow = service.url("", faults: ["wait-60"])
        let home = try ToolHome(environment: service.environment.merging(["EXERCISEDB_API_URL": slow]) { $1 })
        let ids = (1...12).map { "00" + ($0 < 10 ? "0" : "") + "\($0)" }
        let records = try home.run("gif-cache", ["put"] + ids).expect(0).records
        #expect(records.map { $0.string("id") } == ids)
        let requests = try service.requests()
        #expect(requests.total == 12 && requests.highest == 3, "\(requests)")
    }

    @Test func exhaustedQuotaIsReported() throws {
        let message = "{\"message\":\"You have exceeded the MONTHLY quota for Requests on your current plan, BASIC.\"}"
        let server = try LoopbackServer { _ in .json(message, status: 429) }
        let home = try ToolHome(environment: ["EXERCISEDB_API_URL": server.address, "APOD_TOOLS_ALLOW_PRIVATE": "1"])
        let record = try home.run("gif-cache", ["put", "0001"]).expectFailure(
            75, code: "quota-exceeded", tool: "gif-cache")
        #expect(record.string("error.message")?.contains("month") == true)
    }

    @Test func listIsRequestedOnceForAllFilters() throws {
        let service = try SampleServer(["--exercises", "700"])
        let home = try ToolHome(environment: service.environment)
        let all = try home.run("gif-cache", ["list"]).expect(0).records
        #expect(all.count == 700 && all[0].string("id") == "0001" && all[699].string("id") == "0700")
        let backs = try home.run("gif-cache", ["list", "--body-part", "BACK,chest", "--equipment", "cable"]).expect(0)
        let wanted = all.filter {
            ["back", "chest"].contains($0.string("bodyPart")) && $0.string("equipment") == "cable"
        }
        #expect(try backs.records == wanted && !wanted.isEmpty)
        let named = try home.run("gif-cache", ["list", "--name", "Curl", "--target", "abs"]).expect(0)
        #expect(
            try named.records
                == all.filter { $0.string("name")?.contains("curl") == true && $0.string("target") == "abs" })
        #expect(try service.requests()["/exercises"] == 2)
        _ = try home.run("gif-cache", ["list", "--refresh"]).expect(0)
        #expect(try service.requests()["/exercises"] == 4)
        service.stop()
        #expect(try home.run("gif-cache", ["list", "--offline"]).expect(0).records.count == 700)
        // An older list is used if the service is unreachable.
        let stale = try home.run("gif-cache", ["list", "--refresh", "APOD_TOOLS_RETRIES=0", "--print", "id"]).expect(0)
        #expect(
            stale.lines.count == 700 && stale.stderr.contains("; using the exercise list from "), "\(stale.stderr)")
        _ = try ToolHome(environment: service.environment).run("gif-cache", ["list", "--offline"]).expect(75)
    }

    @Test func gifsOfTheOpenServiceAreFetchedWithoutTheKey() throws {
        let gif = DrawnAnimation([.gradient(4, 4), .gradient(4, 4)]).gif()
        let asked = Monitor<[LoopbackRequest]>([])
        let media = try LoopbackServer { request in
            asked.update { $0.append(request) }
            return .bytes(gif, type: "image/gif")
        }
        let key = "sekretkey7"
        let service = try SampleServer(["--exercises", "60", "--exercise-media", media.address, "--exercise-key", key])
        let home = try ToolHome(
            environment: service.environment.merging([
                "EXERCISEDB_API_URL": service.url("/api/v1"), "EXERCISEDB_API_KEY": key,
            ]) { $1 })
        let records = try home.run("gif-cache", ["mirror"]).expect(0).records
        #expect(records.count == 60 && records.allSatisfy { $0.has("path") && $0.has("gifUrl") })
        #expect(records.last?.string("cache.key") == "exercisedb:0060@180")
        #expect(try service.requests().counts == ["/api/v1/exercises": 3])
        let requests = asked.withLock { $0 }
        #expect(Set(requests.map(\.path)).count == 60 && requests.count == 60)
        for header in requests.flatMap(\.headers) {
            #expect(!header.value.contains(key) && !header.name.lowercased().contains("rapidapi"), "\(header)")
        }
        // Neither a second run nor a run by ID sends a request.
        try home.run("gif-cache", ["mirror"]).expect(0)
        try home.run("gif-cache", ["put", "0001", "0060"]).expect(0)
        #expect(try service.requests().total == 3)
        // Refreshing by ID requests the GIF's address again.
        try home.run("gif-cache", ["put", "0007", "--refresh"]).expect(0)
        #expect(try service.requests()["/api/v1/exercises/0007"] == 1)
        #expect(asked.withLock { $0.count } == 61)
    }

    @Test func missingServiceAndKeyAreExplained() throws {
        let home = try ToolHome()
        for command in [["list"], ["mirror"], ["put", "0001"]] {
            try home.run("gif-cache", command).expectRefusal(78, "gif-cache", "EXERCISEDB_API_URL", "RapidAPI", "terms")
        }
        let gif = DrawnAnimation([.gradient(4, 4), .gradient(4, 4)]).gif()
        try home.keep(gif, as: "exercisedb:0001@180")
        for command in [
            "get 0001", "has 0001", "path 0001", "cat 0001", "info 0001", "poster 0001", "ls", "pin 0001", "verify",
            "put 0001 --offline", "rm 0001 --dry-run",
        ] {
            try home.run("gif-cache", command.split(separator: " ").map(String.init)).expect(0)
        }
    }

    @Test func invalidListIsRefused() throws {
        for (body, status) in [("{\"message\":\"hello\"}", 65), ("[1]", 65), ("<html>", 65)] {
            let server = try LoopbackServer { _ in .json(body) }
            let home = try ToolHome(
                environment: ["EXERCISEDB_API_URL": server.address, "APOD_TOOLS_ALLOW_PRIVATE": "1"])
            try home.run("gif-cache", ["list"]).expectRefusal(Int32(status), "gif-cache", "list of exercises")
        }
    }
}
