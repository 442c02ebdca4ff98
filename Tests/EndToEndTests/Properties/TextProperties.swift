import Records
import Support
import TestSupport
import Testing

/// The texts in a record.
struct TextProperties {
    @Test("Feature: nasa-apod-viewer, Property 2: a record has title, picture, explanation, date and copyright")
    func recordHasTheServicesTexts() throws {
        try forAll { random in
            let nasa = try RandomNASA()
            let days = nasa.addRange(random.number(1...6), &random)
            let service = random.one(of: ["science", "api"])
            let output = try nasa.fetch(days, service)
            try RecordLaws.check(output, days: days.map(\.day))
            for (day, record) in zip(days, try output.records) {
                try Self.check(record, day, service == "science" ? day.science : day.api)
            }
        }
    }

    @Test("Feature: nasa-apod-viewer, Property 11: every media type gives a consistent record")
    func everyMediaTypeHasItsFieldsWhicheverServiceAnswers() throws {
        // Each case contains all media types, in random order.
        try forAll(20) { random in
            let nasa = try RandomNASA()
            let first = RandomNASA.anyDay(&random, before: 10)
            let days = RandomDay.Medium.allCases.shuffled(using: &random).enumerated().map { index, medium in
                nasa.add(first.advanced(by: index), medium: medium, &random)
            }
            let science = try nasa.fetch(days, "science")
            let api = try nasa.fetch(days, "api")
            for output in [science, api] { try RecordLaws.check(output, days: days.map(\.day)) }
            for (day, (new, old)) in zip(days, zip(try science.records, try api.records)) {
                for field: FieldPath in ["date", "title", "explanation", "media_type", "copyright", "error.code"] {
                    try claim(new.string(field) == old.string(field), "\(field) differs: \(new.text) and \(old.text)")
                }
                let (medium, type) = (day.medium, new.string("media_type"))
                try claim(medium.isVideo == (type == "video"), "\(medium): \(new.text)")
                try claim(new.has("hdurl") == (type == "image"), "\(medium): \(new.text)")
                try claim((medium == .lost) == (new.string("error.code") == "stand-in"), "\(medium): \(new.text)")
            }
        }
    }

    /// Throws if the record differs from the expected fields.
    private static func check(_ record: Record, _ day: RandomDay, _ answer: RandomDay.Answer) throws {
        guard let expected = answer.expected else {
            return try claim(record.string("error.code") == "stand-in", "the error is not stand-in: \(record.text)")
        }
        try claim(!record.has("error"), "failed: \(record.text)\nof \(answer.fields)")
        let names = record.names.filter { $0 != "apod" }
        try claim(Set(names) == Set(expected.keys), "\(names), not \(expected.keys.sorted())\nof \(answer.fields)")
        for (name, value) in expected {
            let said = FieldPath(name).flatMap { record.string($0) } ?? ""
            // Compares by scalars, because canonically equivalent strings are equal in Swift.
            try claim(
                said.unicodeScalars.elementsEqual(value.unicodeScalars),
                "\(name) is \"\(said)\", not \"\(value)\"\nof \(answer.fields)")
        }
    }
}

extension RandomDay.Medium {
    var isVideo: Bool { [.youTube, .vimeo, .film].contains(self) }
}

extension RandomNASA {
    /// Requests a range of days from one service, or `auto`, in a new home.
    func fetch(_ days: [RandomDay], _ service: String, _ options: [String] = []) throws -> ToolOutput {
        let range =
            days.count == 1 && days[0].day.day % 2 == 0
            ? ["--date", "\(days[0].day)"]
            : ["--date", "\(days[0].day)..\(days[days.count - 1].day)"]
        return try home().run(
            "apod-fetch", ["APOD_TOOLS_SERVICE=\(service)", "APOD_TOOLS_RETRIES=0"] + range + options)
    }
}
