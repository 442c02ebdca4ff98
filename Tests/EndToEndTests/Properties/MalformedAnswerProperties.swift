import Records
import Support
import TestSupport
import Testing

/// Malformed answers of services.
struct MalformedAnswerProperties {
    @Test("Feature: nasa-apod-viewer, Property 8: any malformed answer gives a valid record or an error")
    func everyDayHasARecordOrAnErrorForAnyAnswer() throws {
        try forAll(110) { random in
            let share = random.one(of: [100, 100, 50])
            let seed = random.next()
            let nasa = try RandomNASA { exchange in
                // The fault depends only on the request, so the order of requests does not matter.
                var random = SeededRandom(seed: seed ^ SeededRandom.hash(exchange.request.target.utf8))
                var response = exchange.response
                if random.chance(share) {
                    for _ in 0..<random.number(1...2) {
                        response = random.one(of: Malformation.allCases).applied(to: response, &random)
                    }
                }
                try exchange.connection.send(response, to: exchange.request)
            }
            let days = nasa.addRange(random.number(1...4), &random)
            let output = try nasa.fetch(days, random.one(of: ["science", "api", "auto"]))
            try RecordLaws.check(output, days: days.map(\.day))
        }
    }

    @Test("Feature: nasa-apod-viewer, Property 8: any malformed picture is stored whole or refused")
    func everyPictureIsWholeOrRefused() throws {
        try forAll(12) { random in
            let seed = random.next()
            @Sendable func body(_ target: String) -> LoopbackResponse {
                var random = SeededRandom(seed: seed ^ SeededRandom.hash(target.utf8))
                let kinds: [Malformation] = [
                    .flippedBytes, .cutOff, .empty, .garbage, .webPage, .invalidUTF8, .trailingGarbage,
                ]
                return random.one(of: kinds).applied(to: RandomNASA.picture(target), &random)
            }
            let server = try LoopbackServer { body($0.target) }
            let home = try ToolHome(environment: ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8"])
            let targets = (0..<10).map { "/pictures/\($0).\(random.one(of: ["png", "gif"]))" }
            let lines = targets.map { "{\"url\":\"\(server.address)\($0)\"}" }
            let output = try home.run("img-cache", ["put", "APOD_TOOLS_RETRIES=0"], stdin: .lines(lines))
            let records = try output.records
            try claim(records.count == targets.count, "\(output)")
            // The pictures are in the home's folder, which must exist until they are compared.
            defer { withExtendedLifetime(home) {} }
            for (target, record) in zip(targets, records) {
                if let path = record.string("path") {
                    let kept = try TestFile.bytes(path)
                    try claim(
                        !record.has("error") && kept == body(target).body, "the file has wrong bytes: \(record.text)")
                } else {
                    try claim(
                        record.string("error.message")?.isEmpty == false, "the record has no error: \(record.text)")
                }
            }
            let statuses = records.compactMap { $0.integer("error.exit") }
            let expected = statuses.first { $0 != 75 } ?? statuses.first ?? 0
            try claim(output.status.map { Int($0) } == expected, "\(output)")
        }
    }
}
