import Records
import Support
import TestSupport

/// Rules that every record of `apod-fetch` must satisfy, for any answer of NASA.
enum RecordLaws {
    /// The fields in output order.
    private static let order = [
        "date", "title", "explanation", "url", "hdurl", "media_type", "service_version", "copyright", "thumbnail_url",
        "permalink", "credit", "alt", "apod",
    ]
    private static let always: Set = ["date", "title", "explanation", "media_type", "service_version", "apod"]

    /// Throws if a record or its failure breaks a rule.
    static func check(_ record: Record) throws {
        try claim(record.string("date").flatMap { CalendarDay($0) } != nil, "the record has no date: \(record.text)")
        if record.has("error") { try checkFailure(record) } else { try checkPicture(record) }
    }

    private static func checkPicture(_ record: Record) throws {
        let names = record.names
        try claim(names == order.filter(names.contains), "the fields are in the wrong order: \(record.text)")
        try claim(always.isSubset(of: names), "a field is missing: \(record.text)")
        for name in names where name != "apod" {
            let text = try found(
                FieldPath(name).flatMap { record.string($0) }, "\(name) is not a string: \(record.text)")
            try claim(isOneLine(text), "\(name) is not a single line: \(record.text)")
            try claim(!text.isEmpty || name == "explanation", "\(name) is empty: \(record.text)")
        }
        let type = record.string("media_type") ?? ""
        try claim(["image", "video", "other"].contains(type), "unknown media type: \(record.text)")
        try claim(record.has("url") || type == "other", "the record has no url: \(record.text)")
        try claim(!record.has("thumbnail_url") || type != "image", "an image has a thumbnail_url: \(record.text)")
        for name in ["url", "hdurl", "thumbnail_url", "permalink"] {
            guard let address = FieldPath(name).flatMap({ record.string($0) }) else { continue }
            let isWeb = ["http://", "https://"].contains { address.lowercased().hasPrefix($0) }
            try claim(isWeb && !address.contains(" "), "\(name) is not an address: \(record.text)")
        }
        let service = record.string("apod.service")
        try claim(service == "science" || service == "api", "the record has no apod.service: \(record.text)")
        try claim(record.string("service_version") == (service == "api" ? "v1" : "v2"), "\(record.text)")
        try claim(["network", "cache", "stale"].contains(record.string("apod.source") ?? ""), "\(record.text)")
        try claim(
            record.string("apod.fetched_at")?.hasSuffix("Z") == true,
            "the record has no apod.fetched_at: \(record.text)")
    }

    private static func checkFailure(_ record: Record) throws {
        try claim(record.names == ["date", "error"], "a failed record has other fields: \(record.text)")
        try claim(record.string("error.tool") == "apod-fetch", "\(record.text)")
        let code = record.string("error.code") ?? ""
        try claim(
            !code.isEmpty && code.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") },
            "no code: \(record.text)")
        let message = record.string("error.message") ?? ""
        try claim(!message.isEmpty && isOneLine(message), "the error has no message: \(record.text)")
        let status = record.integer("error.exit") ?? 0
        try claim([65, 69, 75, 77].contains(status), "unexpected exit status: \(record.text)")
        try claim(record.bool("error.transient") == (status == 75), "wrong value of transient: \(record.text)")
    }

    /// Whether the text is a single line without leading, trailing or double spaces and without control characters.
    static func isOneLine(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        return !text.hasPrefix(" ") && !text.hasSuffix(" ") && !text.contains("  ")
            && scalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    }

    /// Throws if the output of a run for these days breaks a rule: a valid record per day, in order, and a matching
    /// exit status.
    static func check(_ output: ToolOutput, days: [CalendarDay]) throws {
        try claim(String(validating: output.stdoutBytes, as: UTF8.self) != nil, "not UTF-8: \(output)")
        let records = try output.records
        try claim(
            records.map { $0.string("date") } == days.map(\.description),
            "the days differ from the requested days: \(output)")
        for record in records { try check(record) }
        let statuses = records.compactMap { $0.integer("error.exit") }
        let expected = statuses.first { $0 != 75 } ?? statuses.first ?? 0
        try claim(output.status.map { Int($0) } == expected, "the exit status should be \(expected): \(output)")
        // Consecutive failures with the same code are reported once and then counted.
        var code: String?
        for record in records {
            guard let message = record.string("error.message") else { continue }
            defer { code = record.string("error.code") }
            if record.string("error.code") == code { continue }
            let line = "apod-fetch: \(TerminalText.escaped(message))"
            try claim(
                output.errorLines.contains { $0.contains(line) || $0.contains(message) },
                "standard error has no message: \(output)")
        }
        let failures = records.count { $0.has("error") }
        try claim(reportedFailures(output.errorLines) >= failures, "not all failures are reported: \(output)")
    }

    /// The number of failures that the lines report, including failures that a line only counts.
    static func reportedFailures(_ lines: [String]) -> Int {
        lines.reduce(0) { sum, line in
            let counted = line.split(separator: "(and ").dropFirst().first?.prefix { $0.isNumber }
            return sum + (counted.flatMap { Int($0) } ?? 1)
        }
    }
}

extension Record {
    var text: String { String(decoding: line, as: UTF8.self) }
}
