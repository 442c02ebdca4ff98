import Formats
import Support
import Testing

@Suite struct BodyKindTests {
    @Test(arguments: [
        ("<!DOCTYPE html><html>", BodyKind.html), ("\u{FEFF}\n <HTML lang=en>", .html), ("<center>502</center>", .html),
        ("{\"message\":\"no\"}", .json), ("  [1]", .json), ("<?xml version=\"1.0\"?><Error/>", .xml),
        ("<?xml version=\"1.0\"?>\n<svg xmlns=\"\"/>", .svg), ("<svg/>", .svg), ("upstream timeout", .text),
        ("Zu viele Anfragen: später", .text), ("%PDF-1.7", .pdf), ("BMW and other cars", .text),
        ("....ftypisom....", .video),
        ("BM\u{1}\u{1}\u{1}\u{1}\0\0\0\0", .bmp), ("8BPS", .photoshop),
        ("\u{1}\u{2}\u{3}", .other), ("\n\n", .text),
    ])
    func kindIsDetectedFromTheFirstBytes(_ text: String, _ kind: BodyKind) {
        #expect(BodyKind(head: Array(text.utf8)) == kind)
    }

    @Test func failureNamesTheKindOfTheBody() {
        let page = MemorySource(Array("<!doctype html><title>Log in</title>".utf8))
        let failed = failure { _ = try ImageInspection.inspect(page) }
        #expect(failed == .notAnImage(.html))
        let layers = failure { _ = try ImageHeader.read(MemorySource(Array("8BPS........".utf8))) }
        #expect(layers == .unsupported(.photoshop, readable: ImageFormat.all))
        #expect(failure { _ = try ImageHeader.read(MemorySource([])) } == .empty)
    }
}
