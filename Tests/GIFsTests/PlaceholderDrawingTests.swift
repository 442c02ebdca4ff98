import Support
import Testing

@testable import GIFs

@Suite struct PlaceholderDrawingTests {
    @Test func placeholderIsASmallValidGIF() throws {
        let gif = try PlaceholderDrawing.gif()
        let facts = try GIFAcceptance.inspect(MemorySource(gif))
        #expect(facts.frames == 8 && facts.loop == 0 && facts.size.width == 180 && facts.size.height == 180)
        #expect(gif.count < 8000)
        // The cache key assumes that the bytes never change.
        #expect(try PlaceholderDrawing.gif() == gif)
    }
}
