import HTTP
import Records
import Support
import TestSupport
import Testing

/// Networks that fail temporarily.
struct NetworkFailureProperties {
    /// Faults for the first requests; later requests succeed.
    private struct Trouble {
        let faults: [NetworkFault]
        let pause: Int?

        init(_ count: Int, of kinds: [NetworkFault], _ random: inout SeededRandom) {
            faults = (0..<count).map { _ in random.one(of: kinds) }
            pause = random.one(of: [nil, 0, 1])
        }

        func meet(_ exchange: RandomNASA.Exchange) throws {
            guard exchange.number < faults.count else { return try exchange.answer() }
            try faults[exchange.number].happen(
                to: exchange.request, exchange.response, on: exchange.connection, pause: pause)
        }
    }

    @Test("Feature: nasa-apod-viewer, Property 7: every transient network failure is retried, then reported")
    func everyTransientFailureIsRetriedAndThenReported() throws {
        try forAll { random in
            let retries = random.number(0...4)
            // A stalled connection times out after at least a second.
            let stalls = random.chance(2)
            let trouble = Trouble(
                stalls ? 1 : random.number(0...6), of: stalls ? [.stalled] : NetworkFault.quick, &random)
            let nasa = try RandomNASA(answer: trouble.meet)
            let pauses = Monitor<[Duration]>([])
            let client = HTTPClient(
                transport: CurlTransport(guard: .allowingAll, environment: [:]), guard: .allowingAll,
                retries: RetrySchedule(retries: retries), interruption: Interruption(),
                sleep: { pause in pauses.withLock { $0.append(pause) } })
            let url = try WebURL("\(nasa.site)/pictures/a.png")
            let request = HTTPRequest(
                url: url, timeouts: HTTPRequest.Timeouts(stall: stalls ? .seconds(1) : .seconds(30)))
            let words = "\(trouble.faults) with \(retries) retries"
            do {
                let (_, bytes) = try client.data(request)
                try claim(trouble.faults.count <= retries, "\(words): answered, but must fail")
                try claim(bytes == RandomNASA.picture("/pictures/a.png").body, "\(words): wrong body")
            } catch let broken as BrokenClaim {
                throw broken
            } catch {
                let failure = failure(of: error)
                try claim(trouble.faults.count > retries, "\(words): \(failure.message)")
                try claim(failure.isTransient && failure.exitCode == .temporary, "\(words): \(failure.message)")
                try claim(Self.endsWithARemedy(failure.message), "\(words): \(failure.message)")
            }
            let asked = min(trouble.faults.count, retries) + 1
            try claim(nasa.targets.count == asked, "\(words): \(nasa.targets.count) requests, not \(asked)")
            let waited = pauses.withLock { $0 }
            try claim(waited.count == asked - 1, "\(words): \(waited.count) pauses")
            try claim(waited.allSatisfy { $0 <= .seconds(30) }, "\(words): \(waited)")
        }
    }

    @Test("Feature: nasa-apod-viewer, Property 7: the tools retry transient network failures, then report them")
    func toolsRetryAndThenReport() throws {
        try forAll(15) { random in
            let retries = random.number(0...2)
            let trouble = Trouble(random.number(0...3), of: NetworkFault.quick, &random)
            let nasa = try RandomNASA(answer: trouble.meet)
            let home = try nasa.home()
            let day = nasa.add(RandomNASA.anyDay(&random), medium: .picture, &random)
            let options = ["APOD_TOOLS_RETRIES=\(retries)"]
            let tool = random.one(of: ["apod-fetch", "img-cache"])
            let output =
                tool == "apod-fetch"
                ? try home.run(tool, ["APOD_TOOLS_SERVICE=science", "--date", "\(day.day)"] + options)
                : try home.run(tool, ["put", "\(nasa.site)/pictures/a.png"] + options)
            let words = "\(trouble.faults) with \(retries) retries: \(output)"
            let record = try output.record
            if trouble.faults.count <= retries {
                try claim(output.status == 0 && !record.has("error"), words)
                // A success after retries prints no message.
                try claim(output.stderr.isEmpty, words)
            } else {
                try claim(output.status == 75 && record.bool("error.transient") == true, words)
                let message = try found(record.string("error.message"), words)
                try claim(Self.endsWithARemedy(message), words)
                try claim(output.errorLines.contains { $0.hasPrefix("\(tool): ") }, words)
            }
            let asked = min(trouble.faults.count, retries) + 1
            try claim(nasa.targets.count == asked, "\(nasa.targets.count) requests, not \(asked): \(words)")
        }
    }

    @Test(
        "Feature: nasa-apod-viewer, Property 7: an unreachable server is reported with a remedy",
        arguments: ["science", "api", "auto"])
    func unreachableServerIsReported(_ service: String) throws {
        // After `stop`, nothing listens on the port.
        let nasa = try RandomNASA()
        let home = try nasa.home()
        nasa.stop()
        let output = try home.run(
            "apod-fetch", ["--date", "2024-02-03", "APOD_TOOLS_SERVICE=\(service)", "APOD_TOOLS_RETRIES=1"])
        let record = try output.expectFailure(75, code: "connection-failed", tool: "apod-fetch")
        #expect(Self.endsWithARemedy(record.string("error.message") ?? ""), "\(output)")
    }

    /// Whether the message ends with a remedy.
    private static func endsWithARemedy(_ message: String) -> Bool {
        RecordLaws.isOneLine(message) && (message.contains("try again") || message.contains("check"))
    }
}
