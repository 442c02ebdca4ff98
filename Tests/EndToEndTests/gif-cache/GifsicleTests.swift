import Records
import Support
import TestSupport
import Testing

/// The properties of a GIF that both `gifsicle --info` and `gif-cache info` print.
private struct GifsicleInfo {
    struct Image: Equatable {
        var area = ""
        var delay = 0
        var disposal = "unspecified"
        var transparent: Int?
        var palette: Int?
        var isInterlaced = false
    }

    var canvas = ""
    var palette: Int?
    var loop = 1
    var comments = 0
    var images: [Image] = []

    /// Parses lines such as `  + image #1 32x32 at 5,10 transparent 2` and the indented lines below them.
    init(_ lines: [String]) {
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            if line.hasPrefix("  + image ") {
                images.append(Image(words))
            } else if words.starts(with: ["logical", "screen"]) {
                canvas = words[2]
            } else if words.starts(with: ["global", "color", "table"]) {
                palette = Self.count(words[3])
            } else if words.starts(with: ["local", "color", "table"]) {
                images[images.count - 1].palette = Self.count(words[3])
            } else if words.first == "loop" {
                loop = words[1] == "forever" ? 0 : (Int(words[2]) ?? 0) + 1
            } else if words.first == "comment" || words.starts(with: ["end", "comment"]) {
                comments += 1
            } else if words.first == "disposal" || words.first == "delay" {
                images[images.count - 1].set(words)
            }
        }
    }

    /// Parses a number in brackets: `[16]`.
    private static func count(_ text: String) -> Int? { Int(text.dropFirst().dropLast()) }
}

extension GifsicleInfo.Image {
    fileprivate init(_ words: [String]) {
        area = words[3] + "+0+0"
        if let at = words.firstIndex(of: "at") {
            area = words[3] + "+" + words[at + 1].replacing(",", with: "+")
        }
        if let index = words.firstIndex(of: "transparent") { transparent = Int(words[index + 1]) }
        isInterlaced = words.contains("interlaced")
    }

    /// Parses a line such as `disposal asis delay 0.07s`.
    fileprivate mutating func set(_ words: [String]) {
        if let index = words.firstIndex(of: "disposal") {
            // Some old programs write the disposal method 4 instead of 3.
            let names = ["none": "unspecified", "asis": "keep", "background": "background", "previous": "previous"]
            disposal = names[words[index + 1]] ?? (words[index + 1] == "4" ? "previous" : words[index + 1])
        }
        if let index = words.firstIndex(of: "delay") {
            delay = Int(words[index + 1].filter(\.isNumber)).map { $0 * 10 } ?? -1
        }
    }

    fileprivate init(_ record: Record) {
        func number(_ path: FieldPath) -> Int { record.integer(path) ?? -1 }
        area = "\(number("width"))x\(number("height"))+\(number("left"))+\(number("top"))"
        delay = number("delay_ms")
        disposal = record.string("disposal") ?? ""
        transparent = record.integer("transparent_index")
        palette = record.integer("local_palette")
        isInterlaced = record.bool("interlaced") ?? false
    }
}

/// Compares `gif-cache info` with gifsicle.
@Suite(.enabled(if: Corpus.isPresent && Gifsicle.isPresent))
struct GifsicleTests {
    @Test func infoAgreesWithGifsicleOnEveryValidGIF() throws {
        let home = try ToolHome()
        for verdict in try GIFVerdict.list() where verdict.isAccepted {
            let path = try verdict.path
            let lines = try home.run("/usr/bin/env", ["gifsicle", "--info", path]).expect(0).lines
            let theirs = GifsicleInfo(lines)
            let ours = try home.run("gif-cache", ["info", path]).expect(0).record
            let canvas = "\(ours.integer("info.width") ?? 0)x\(ours.integer("info.height") ?? 0)"
            #expect(canvas == theirs.canvas, "\(path)")
            #expect(ours.integer("info.global_palette") == theirs.palette, "\(path)")
            #expect(ours.integer("info.loop") == theirs.loop, "\(path)")
            #expect(ours.integer("info.frames") == theirs.images.count, "\(path)")
            #expect(ours.integer("info.duration_ms") == theirs.images.reduce(0) { $0 + $1.delay }, "\(path)")
            #expect(ours.integer("info.comments") == theirs.comments, "\(path)")
            let images = try Record.list(parsing: Array(try #require(ours.raw("info.images")))).map(
                GifsicleInfo.Image.init)
            for (index, pair) in zip(images, theirs.images).enumerated() {
                #expect(pair.0 == pair.1, "\(path), frame \(index)")
            }
        }
    }
}

enum Gifsicle {
    /// Whether gifsicle is installed. If not, prints once that the test is skipped.
    static let isPresent: Bool = {
        let isThere = (try? run("/usr/bin/env", ["gifsicle", "--version"]))?.status == 0
        if !isThere {
            Log.standardError(
                "\n*** NO GIFSICLE: the test of gif-cache info against gifsicle --info is SKIPPED.\n"
                    + "*** Install it (scripts/setup --with-tests) to run it.\n\n")
        }
        return isThere
    }()
}
