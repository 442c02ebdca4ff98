import APOD
import Records
import Support
import Testing

/// Returns the day of a date such as `2024-02-03`.
func day(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) -> CalendarDay {
    guard let day = CalendarDay(text) else {
        Issue.record("\(text) is not a day", sourceLocation: sourceLocation)
        return CalendarDay(daysSince1970: 0)
    }
    return day
}

/// Returns a point in time in UTC.
func time(_ date: String, _ hour: Int = 12, _ minute: Int = 0) -> Timestamp {
    Timestamp(milliseconds: Int64(day(date).daysSince1970) * 86_400_000 + Int64(hour * 60 + minute) * 60_000)
}

/// Returns a record with these fields. A nil value omits the field; `changes` replaces or adds fields.
private func object(_ fields: KeyValuePairs<String, String>, _ changes: [String: JSON?]) -> Record {
    var record = Record()
    for (name, value) in fields where changes[name] == nil { record.set(name, .string(value)) }
    for (name, value) in changes.sorted(by: { $0.key < $1.key }) {
        if let value { record.set(name, value) }
    }
    return record
}

let pictureServer = "https://assets.example.org/apod"

/// NASA's generic thumbnail, which the new service returns in `hdurl` for days without a picture, such as video days.
let placeholder = "https://assets.example.org/images/misc/news-thumbnail.png?w=594&h=516&fit=clip"

/// An answer of the new service for an image. The structure is NASA's; the texts are invented.
func scienceAnswer(_ date: String = "2026-11-20", _ changes: [String: JSON?] = [:]) -> Record {
    object(
        [
            "date": date, "title": "A Ring of Dust", "permalink": "https://science.example.org/apod-ring/",
            "media_type": "image", "explanation": "<strong>Explanation:</strong> Dust circles a star.",
            "credit": "<a href=\"https://example.org\">Ada Example</a>",
            "copyright": "<a href=\"https://example.org\">Ada Example</a>", "alt": "A ring.",
            "url": "https://science.example.org/apod-ring/",
            "hdurl": "\(pictureServer)/ring.jpg?w=1024&h=768&fit=clip&crop=faces%2Cfocalpoint",
            "basic_html": "<html><body><center><IMG SRC=\"\(pictureServer)/ring.jpg\"></center></body></html>",
        ], changes)
}

/// The page of a day with `content` in place of the picture.
func page(_ content: String) -> JSON {
    .string(
        "<!doctype html><html><body><center><h1> Picture </h1><p>2026 November 20<br>\(content)</center></body></html>")
}

/// An answer of the old service for an image.
func legacyAnswer(_ date: String = "2026-11-20", _ changes: [String: JSON?] = [:]) -> Record {
    object(
        [
            "date": date, "explanation": "Dust circles a star.", "hdurl": "\(pictureServer)/ring_big.jpg",
            "media_type": "image", "service_version": "v1", "title": "A Ring of Dust",
            "url": "\(pictureServer)/ring.jpg",
        ], changes)
}

/// The old service's answer for every day since its site moved: NASA's logo in place of the picture.
func logoAnswer(_ date: String = "2026-11-20") -> Record {
    let logo = JSON.string("https://science.example.org/themes/assets/images/nasa-logo@2x.png")
    return legacyAnswer(date, ["title": .string("NASA Science"), "url": logo, "hdurl": logo])
}

func list(_ records: [Record]) -> [UInt8] {
    [UInt8(ascii: "[")] + records.map(\.line).joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
}

extension JSON: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) { self = .string(text) }
}
