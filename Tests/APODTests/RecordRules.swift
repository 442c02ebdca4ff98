import HTML
import Records
import Testing

@testable import APOD
@testable import Articles

/// Checks the rules that every record of a picture must follow.
func expectRecordRules(_ record: Record, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
    func expect(_ holds: Bool, _ what: String) {
        if !holds { Issue.record("\(what) \(comment.map { "\($0)" } ?? "")", sourceLocation: sourceLocation) }
    }
    let order = Picture.fieldNames + ["apod"]
    expect(record.names == order.filter { record.has($0) }, "the fields are \(record.names)")
    for name in ["date", "title", "explanation", "media_type", "service_version"] {
        expect(record.has(name), "no \(name)")
    }
    let type = record.string("media_type").flatMap(Picture.MediaType.init)
    expect(type != nil, "the media type is missing or unknown")
    expect(record.has("url") || type == .other, "no url")
    expect(type == .image || !record.has("hdurl"), "hdurl of a day without an image")
    expect(type != .image || !record.has("thumbnail_url"), "thumbnail_url of an image")
    for name in record.names where name != "apod" {
        let text = FieldPath(name).flatMap { record.string($0) } ?? ""
        expect(!text.isEmpty || name == "explanation", "\(name) is empty")
        expect(text == PlainText.folded(text), "\(name) is not folded")
        let isAddress = name.hasSuffix("url") || name == "permalink"
        guard isAddress else { continue }
        expect(MediaAddress(text)?.text == text, "\(name) is not an address")
        expect(MediaAddress(text)?.isStandIn != true, "\(name) is a stand-in")
    }
}
