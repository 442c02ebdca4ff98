import CacheTools
import Records
import Support
import TestSupport
import Testing

@testable import GIFs

@Suite struct GIFDescriptionTests {
    private let folder: TemporaryFolder
    private let description: GIFDescription

    init() throws {
        folder = try TemporaryFolder()
        var still = DrawnAnimation.Frame(width: 4, height: 2, pixels: [UInt8](repeating: 0, count: 8))
        still.isInterlaced = true
        var part = DrawnAnimation.Frame(width: 1, height: 1, pixels: [1])
        part.x = 3
        part.y = 1
        part.delay = 207
        part.disposal = 3
        part.transparent = 1
        let palette: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [9, 9, 9]]
        let gif = DrawnAnimation(width: 4, height: 2, palette: palette, frames: [still, part], loop: 2).gif()
        let path = try folder.write("a.gif", gif + [0, 0])
        description = try GIFDescription(path: path, gif: ExerciseGIF(id: ExerciseID("0001")))
    }

    @Test func infoFieldDescribesTheWholeFile() throws {
        var record = Record()
        record.set("info", description.json)
        #expect(record.string("info.id") == "0001" && record.integer("info.resolution") == 180)
        #expect(record.integer("info.width") == 4 && record.integer("info.height") == 2)
        #expect(record.integer("info.frames") == 2 && record.integer("info.loop") == 3)
        #expect(record.integer("info.duration_ms") == 2170)
        #expect(record.bool("info.transparent") == true && record.bool("info.interlaced") == true)
        #expect(record.integer("info.global_palette") == 4 && record.integer("info.comments") == 0)
        #expect(record.integer("info.trailing_bytes") == 2)
        let images = try Record.list(parsing: Array(try #require(record.raw("info.images"))))
        #expect(images.count == 2 && images[0].bool("interlaced") == true)
        #expect(images[0].string("disposal") == "keep" && !images[0].has("transparent_index"))
        let part =
            #"{"left":3,"top":1,"width":1,"height":1,"delay_ms":2070,"disposal":"previous","#
            + #""transparent_index":1,"interlaced":false}"#
        #expect(String(decoding: images[1].line, as: UTF8.self) == part)
    }

    @Test func terminalShowsATable() {
        let lines = description.text.split(separator: "\n").map(String.init)
        #expect(lines[0] == "0001 at 180, \(folder.path("a.gif"))")
        #expect(lines[1].hasPrefix("4x2, 2 frames in 2.17 s, plays 3 times, "))
        #expect(lines[2] == "global palette of 4 colours, transparency, 2 B after the end")
        #expect(lines[3].hasPrefix("FRAME") && lines.count == 6)
        let cells = ["1", "2.07", "s", "1x1+3+1", "previous", "global", "index", "1", "no"]
        #expect(lines[5].split(separator: " ").map(String.init) == cells)
    }

    @Test func missingGlobalPaletteIsShown() throws {
        var bytes = TinyGIF.bytes
        bytes[10] = 0
        bytes.removeSubrange(13..<19)
        let other = try GIFDescription(path: folder.write("c.gif", bytes))
        #expect(other.text.contains("\nno global palette\n"), "\(other.text)")
    }

    @Test func messageNamesTheFileThatIsNotAGIF() throws {
        let path = try folder.write("b.gif", Array("<!doctype html>".utf8))
        let failure = #expect(throws: NamedFailure.self) { try GIFDescription(path: path) }
        #expect(failure?.code == "not-a-gif" && failure?.message.hasPrefix(path) == true)
        #expect(failure?.exitCode == .data)
    }
}
