import Formats
import Records
import Support
import Testing

@testable import GIFs

@Suite struct GIFAcceptanceTests {
    private let gif = TinyGIF.bytes

    private func failed(_ bytes: [UInt8], limits: GIFStructure.Limits = .standard) -> GIFFailure? {
        do {
            _ = try GIFAcceptance.inspect(MemorySource(bytes), limits: limits)
            return nil
        } catch {
            return error as? GIFFailure
        }
    }

    @Test func factsAreWrittenToTheFieldGif() throws {
        let facts = try GIFAcceptance.inspect(MemorySource(gif))
        var record = try Record(parsing: #"{"id":"0001"}"#.utf8)
        record.set("gif", facts.field())
        #expect(
            String(decoding: record.line, as: UTF8.self)
                == #"{"id":"0001","gif":{"width":4,"height":3,"frames":2,"duration_ms":120,"loop":0,"placeholder":false}}"#
        )
    }

    @Test func factsSurviveARoundTripThroughTheirNote() throws {
        let facts = GIFFacts(
            size: PixelSize(width: 180, height: 90), frames: 12, durationMilliseconds: 1200, loop: 1)
        #expect(GIFFacts(note: facts.note) == facts)
        #expect(GIFFacts(note: "") == nil && GIFFacts(note: "{}") == nil)
    }

    @Test func unacceptableGIFIsRefusedWithACode() {
        #expect(failed([]) == .empty)
        #expect(failed(Array(#"{"message":"ok"}"#.utf8)) == .notAGIF("JSON"))
        #expect(failed(Array("<!doctype html>".utf8)) == .notAGIF("an HTML page"))
        #expect(failed([0xFF, 0xD8, 0xFF, 0xE0, 0, 2])?.code == "not-a-gif")
        #expect(failed(Array(gif.dropLast())) == .truncated)
        #expect(failed(Array(gif.dropLast()))?.isTransient == true)
        #expect(failed(Array(gif.dropLast(4)))?.code == "truncated-gif")
        #expect(failed(Array(gif.dropLast()) + [0x40])?.code == "corrupt-gif")
        let bomb = failed(gif, limits: .init(frames: 1, pixelsOverAllFrames: 1_000))
        #expect(bomb?.code == "over-limit")
        #expect(bomb?.exitCode == .notAllowed)
    }

    @Test func everyPrefixOfAGIFIsRefused() {
        for length in 0..<gif.count {
            let failure = failed(Array(gif[..<length]))
            #expect(failure?.exitCode == (failure == .truncated ? .temporary : .data), "\(length)")
        }
    }
}
