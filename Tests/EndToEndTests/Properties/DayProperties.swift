import Records
import Support
import TestSupport
import Testing

/// `apod-fetch` returns the newest day or the requested day.
struct DayProperties {
    @Test("Feature: nasa-apod-viewer, Property 1: without arguments, the newest day is returned")
    func aStartWithoutArgumentsGivesTheNewestPicture() throws {
        try forAll { random in
            let nasa = try RandomNASA()
            // The date in NASA's time zone. The newest published day may be up to two days older.
            let today = CalendarDay(at: .now(), offset: .seconds(-4 * 3600))
            let newest = today.advanced(by: -random.below(3))
            let media = RandomDay.Medium.allCases.filter { $0 != .lost }
            for step in 0..<random.number(1...3) {
                nasa.add(newest.advanced(by: -step), medium: random.one(of: media), &random)
            }
            let arguments = random.one(of: [[], [], ["--date"], ["--date", "today"]])
            let service = random.one(of: [[], ["APOD_TOOLS_SERVICE=science"], ["APOD_TOOLS_SERVICE=api"]])
            let output = try nasa.home().run("apod-fetch", arguments + service)
            try RecordLaws.check(output, days: [newest])
            try claim(output.status == 0, "\(output)")
            let asked = nasa.targets.filter {
                $0.hasPrefix(service == ["APOD_TOOLS_SERVICE=api"] ? "/api" : "/science")
            }
            try claim(asked.count == nasa.targets.count, "another service was requested: \(nasa.targets)")
        }
    }

    @Test("Feature: nasa-apod-viewer, Property 4: a requested date returns that day or an error")
    func aDateChosenIsTheRecordsOrHasAnError() throws {
        try forAll { random in
            // In one of four cases, the service returns a wrong day.
            let answersOtherwise = random.chance(25)
            let other = RandomNASA.anyDay(&random)
            var elsewhere = random
            let stranger = RandomDay(other, site: "http://127.0.0.1:1", medium: .picture, &elsewhere)
            let nasa = try RandomNASA { exchange in
                guard answersOtherwise else { return try exchange.answer() }
                let text = exchange.request.path.hasPrefix("/api") ? stranger.apiText : stranger.scienceText
                try exchange.connection.send(.json(text), to: exchange.request)
            }
            let chosen = RandomNASA.anyDay(&random)
            // The service also has the neighbouring days.
            for step in -1...1 { nasa.add(chosen.advanced(by: step), &random) }
            let service = random.one(of: ["science", "api", "auto"])
            let home = try nasa.home()
            let isTyped = random.chance(30)
            let isRange = random.chance(50)
            let days = isRange ? ["--date", "\(chosen)..\(chosen)"] : ["--date", "\(chosen)"]
            func ask(_ options: [String] = []) throws -> ToolOutput {
                let output = try home.run(
                    "apod-fetch",
                    (isTyped ? ["-"] : days) + ["APOD_TOOLS_SERVICE=\(service)", "APOD_TOOLS_RETRIES=0"] + options,
                    stdin: isTyped ? .lines(["\(chosen)"]) : .empty)
                try RecordLaws.check(output, days: [chosen])
                return output
            }
            let output = try ask()
            if answersOtherwise, other != chosen {
                try claim(try output.record.string("error.code") == "wrong-date", "\(output)")
            } else if random.chance(30), output.status == 0 {
                // Without the network, the stored day must be identical.
                let (first, again) = (try output.record, try ask(["--offline"]).record)
                try claim(again.string("apod.source") == "cache", "\(again.text)")
                for name in first.names where name != "apod" {
                    let field = FieldPath(stringLiteral: name)
                    try claim(first.string(field) == again.string(field), "\(first.text), then \(again.text)")
                }
            }
        }
    }
}
