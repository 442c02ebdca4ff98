import Formats
import Support

@testable import APOD
@testable import Articles
@testable import GIFs
@testable import HTML
@testable import HTTP
@testable import Records

func readRecords(_ bytes: [UInt8]) {
    let reader = RecordReader(bytes: bytes)
    // Each item consumes at least one byte of input, except the end.
    for _ in 0..<bytes.count + 2 {
        guard let item = try? reader.next() else { break }
        guard case .job(let job) = item else { continue }
        var record = job.record
        precondition((try? Record(parsing: record.line)) == record)
        for name in record.names { _ = (record.has(name), FieldPath(name).flatMap { record.printable($0) }) }
        let names = record.names
        record.set("path", .string("/a"))
        record.set("error", .object(["code": .string("x")]))
        record.remove("path")
        precondition(!record.has("path") && record.string("error.code") == "x")
        // All other fields are unchanged.
        precondition(names.filter { !["path", "error"].contains($0) } == record.names.filter { $0 != "error" })
        precondition((try? Record(parsing: record.line)) == record)
    }
    let lines = LineReader(bytes: bytes)
    if (try? lines.beginsRecords()) == false { while let item = try? lines.next() { _ = item } }
}

func readAddress(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if let url = try? WebURL(text) {
        // A printed address, which has no credentials, is parsed as the same address.
        let again = try? WebURL(url.description)
        precondition(again?.description == url.description)
        precondition(again?.origin == url.origin && again?.address == url.address)
        precondition(!url.description.utf8.contains { $0 <= 0x20 || $0 >= 0x7F })
        let normal = try? WebURL(url.normalized)
        precondition(normal?.description == url.normalized && normal?.normalized == url.normalized)
        if let address = url.address { precondition(IPAddress(address.description) == address) }
        _ = try? url.resolving(String(decoding: bytes.reversed(), as: UTF8.self))
    }
    _ = WebURL.withoutSecrets(text)
    if let address = IPAddress(text) { _ = AddressClass(address) }
    if let range = AddressRange(text) { precondition(range.contains(range.network)) }
    _ = try? AddressGuard(allowPrivate: text)
    if let name = try? InternationalName.ascii(text) {
        precondition(text.utf8.contains { $0 >= 0x80 } ? !name.utf8.contains { $0 >= 0x80 } : true)
    }
    _ = try? HeaderLine(text, source: "--header")
    _ = Netrc(bytes)
}

func readHead(_ bytes: [UInt8]) {
    guard let url = try? WebURL("https://x.org/a") else { return }
    var reader = HeadReader()
    var rest = bytes[...]
    while !rest.isEmpty {
        let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
        let step = Array(rest[..<end]).withUnsafeBytes { reader.add($0) }
        rest = rest[end...]
        guard case .complete(let status, let headers, _) = step else { continue }
        precondition(status >= 200)
        _ = (CacheControl(headers), ContentRange(headers))
        let now = Timestamp.now()
        _ = headers.retryAfter(now: now)
        _ = QuotaReport(HTTPResponse(status: status, headers: headers, url: url), now: now)
        for name in ["Date", "Expires", "Last-Modified"] {
            _ = headers[name].flatMap { HTTPDate.timestamp($0, now: now) }
        }
    }
}

func readHTML(_ bytes: [UInt8]) {
    let html = String(decoding: bytes, as: UTF8.self)
    if let lines = PlainText.lines(ofHTML: html) {
        for line in lines { precondition(!line.isEmpty && PlainText.folded(line) == line) }
        _ = CreditLine(CreditLine.joined(lines))
    }
    if let lines = PlainText.linkedLines(ofHTML: html) {
        let article = CaptionText.explanation(lines)
        precondition(Article(article.text, layout: article.layout) == article || lines.contains { !$0.links.isEmpty })
    }
    _ = PlainText.line(ofText: html)
    _ = CaptionText.title(html)
    _ = EmbeddedMedia(page: html, base: MediaAddress("https://x.org/apod/day/"))
}

func readAnswers(_ bytes: [UInt8]) {
    guard let first = CalendarDay("1995-06-16"), let last = CalendarDay("2026-11-20"),
        let url = try? WebURL("https://x.org/a")
    else { return }
    let time = Timestamp(milliseconds: 0)
    for service in [Server.science, Server(.api, at: url)] {
        _ = try? ServiceAnswer.day(last, in: bytes, from: service, at: time)
        _ = try? ServiceAnswer.days(in: bytes, from: first, through: last, of: service, at: time)
        for status in [400, 404, 429, 503] {
            let answer = FetchFailure.Answer(status: status, headers: HTTPHeaders(), url: url, body: bytes)
            _ = ErrorAnswer.failure(for: answer, from: service, day: last, newest: last)
        }
    }
    for status in [401, 403, 404, 429] {
        _ = ExerciseAnswer.failure(status: status, body: bytes, gif: nil, hasKey: true)
    }
    guard let open = try? ExerciseService(address: "https://example.org/api/v1"),
        var pages = try? ExercisePages(of: open)
    else { return }
    try? pages.add(bytes)
}
