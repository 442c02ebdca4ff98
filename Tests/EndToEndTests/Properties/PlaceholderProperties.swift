import Formats
import Images
import Records
import Support
import TestSupport
import Testing

/// Placeholders for records without a picture.
struct PlaceholderProperties {
    /// The reason for the missing picture.
    private enum Fault: CaseIterable {
        case text, webPage, empty, cutPNG, cutJPEG, flippedPNG, missing
        case video, error, transientError, standIn
    }

    private struct Size: CustomStringConvertible {
        let name: String
        let arguments: [String]
        let width: Int, height: Int
        var description: String { "\(width)x\(height)" }

        /// A named style, or a random size.
        init(_ random: inout SeededRandom) {
            let styles = [("rocket-card", 320, 400), ("preference-view", 360, 240), ("launch-card", 800, 400)]
            if random.chance(60) {
                (width, height) = (random.number(8...300), random.number(8...300))
                name = "custom"
                arguments = ["--width", "\(width)", "--height", "\(height)"]
            } else {
                let style = random.one(of: styles)
                (name, width, height) = style
                arguments = ["--variant", style.0]
            }
        }
    }

    @Test("Feature: nasa-apod-viewer, Property 10: every record without a picture gets a placeholder")
    func everyFailureHasAPlaceholder() throws {
        try forAll { random in
            let home = try ToolHome()
            let fault = random.one(of: Fault.allCases)
            let size = Size(&random)
            let line = try Self.record(fault, home, &random)
            let message = RandomText.sentence(&random, words: 0...9, hasAngles: true)
            let arguments =
                ["--fallback", "--allow-path", "."] + size.arguments
                + (random.chance(30) ? ["--theme", "dark"] : [])
                + (random.chance(30) ? ["--fallback=\(message.replacing("{", with: "{{"))"] : [])
            let output = try home.run("img-downsample", arguments, stdin: .lines([line]))
            try Self.check(try output.record, size, home, "\(fault): \(output)")
            // A failure of an earlier tool does not change the exit status; an input that this tool cannot read does.
            let isOwn = ![.video, .error, .transientError, .standIn].contains(fault)
            try claim((output.status == 0) == !isOwn, "\(fault): \(output)")
        }
    }

    @Test("Feature: nasa-apod-viewer, Property 10: every failed download gets a placeholder")
    func everyFailedDownloadHasAPlaceholder() throws {
        try forAll(12) { random in
            let picture = RandomNASA.picture("/a.png")
            let server = try LoopbackServer { request in
                switch request.path.prefix(3) {
                case "/ok": picture
                case "/no": .text("not found", status: 404)
                case "/in": .text("<html><p>Sign in", type: "text/html")
                case "/cu": .bytes(Array(picture.body.dropLast(20)), type: "image/png")
                case "/bu": .text("busy", status: 503)
                default: .bytes([], type: "image/png")
                }
            }
            let home = try ToolHome(environment: ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8"])
            let names = (0..<6).map { "\(random.one(of: ["ok", "no", "in", "cu", "bu", "em"]))-\($0).png" }
            let lines = names.map { "{\"url\":\"\(server.address)/\($0)\"}" }
            let fetched = try home.run("img-cache", ["put", "APOD_TOOLS_RETRIES=0"], stdin: .lines(lines))
            let size = Size(&random)
            let output = try home.run(
                "img-downsample", ["--fallback"] + size.arguments, stdin: .bytes(fetched.stdoutBytes))
            let records = try output.expect(0).records
            try claim(records.count == names.count, "\(output)")
            for (name, record) in zip(names, records) {
                if name.hasPrefix("ok") {
                    try claim(record.variant(size.name)?.string("status") == "made", "\(name): \(record.text)")
                } else {
                    try Self.check(record, size, home, "\(name): \(output)")
                }
            }
        }
    }

    /// A record without a picture, for the given reason.
    private static func record(_ fault: Fault, _ home: ToolHome, _ random: inout SeededRandom) throws -> String {
        func failed(_ tool: String, _ code: String, _ exit: Int) -> String {
            let text = RandomText.json(RandomText.sentence(&random, words: 0...5, hasAngles: true), &random)
            return "{\"title\":\(text),\"error\":{\"tool\":\"\(tool)\",\"code\":\"\(code)\",\"message\":\(text),"
                + "\"transient\":\(exit == 75),\"exit\":\(exit)}}"
        }
        let png = DrawnPicture.noise(40, 30, seed: random.next()).png()
        let bytes: [UInt8]
        switch fault {
        case .video: return "{\"media_type\":\"video\",\"url\":\"https://www.youtube.com/embed/abcdefghijk\"}"
        case .error: return failed("img-cache", "not-found", 69)
        case .transientError: return failed("img-cache", "timed-out", 75)
        case .standIn: return failed("apod-fetch", "stand-in", 69)
        case .missing: return "{\"path\":\"\(home.path("nothing.jpg"))\"}"
        case .text: bytes = Array("no picture".utf8)
        case .webPage: bytes = Array("<!DOCTYPE html><p>Sign in".utf8)
        case .empty: bytes = []
        case .cutPNG: bytes = Array(png.prefix(random.number(8...png.count - 300)))
        case .cutJPEG:
            let jpeg = try Picture.encoded(.noise(60, 50, seed: random.next()), .jpeg)
            bytes = Array(jpeg.prefix(random.number(3...jpeg.count / 2)))
        case .flippedPNG:
            // Damages the length of the header chunk, so that no later chunk is found.
            bytes = Array(png[..<8]) + [0x7F] + Array(png[9...])
        }
        return "{\"path\":\"\(try home.write("a.img", bytes))\"}"
    }

    /// Throws unless the record's variant is a placeholder of the right size with visible content.
    private static func check(_ record: Record, _ size: Size, _ home: ToolHome, _ words: String) throws {
        let variant = try found(record.variant(size.name), "no variant for \(words)")
        try claim(variant.string("status") == "fallback", "no placeholder for \(words)")
        try claim(record.variantSize(size.name) == "\(size)", "not \(size): \(words)")
        let path = try found(variant.string("path"), "the variant has no path: \(words)")
        let pixels = try home.pixels(path)
        try claim(pixels.words == "\(size)", "\(pixels.words) for \(words)")
        // A placeholder has visible content unless it is too small.
        try claim(
            pixels.hasContent || min(size.width, size.height) < 24, "the placeholder has a single colour: \(words)")
    }
}
