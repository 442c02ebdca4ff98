import Testing

@testable import HTTP

@Suite struct ContentRangeTests {
    @Test func rangeIsParsedWithAndWithoutATotal() throws {
        let known = try #require(ContentRange("bytes 100-199/200"))
        #expect(known.first == 100 && known.last == 199 && known.total == 200)
        let unknown = try #require(ContentRange("Bytes 0-0/*"))
        #expect(unknown.first == 0 && unknown.last == 0 && unknown.total == nil)
    }

    @Test(arguments: [
        "", "bytes", "bytes */200", "bytes 199-100/200", "bytes 100-200/200", "bytes 1-2", "bytes -2/3", "bytes 1-/3",
        "bytes +1-2/3", "bytes 0x1-2/3", "items 0-1/2", "bytes 0-9223372036854775807/*",
        "bytes 0-99999999999999999999/*", "bytes 0-1/2/3",
    ])
    func invalidContentRangeIsNil(_ text: String) { #expect(ContentRange(text) == nil) }
}
