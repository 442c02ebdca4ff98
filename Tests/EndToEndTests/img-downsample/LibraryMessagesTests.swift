import TestSupport
import Testing

/// Messages that libraries for codecs and fonts print must not reach the user.
struct LibraryMessagesTests {
    /// 64 x 64 pixels of a single colour as lossy JPEG XL.
    private static let picture: [UInt8] = [
        255, 10, 79, 64, 66, 113, 33, 0, 18, 136, 2, 0, 36, 1, 93, 229, 18, 0, 0, 21, 42, 163, 140, 27, 188, 156,
        235, 249, 242, 67, 135, 197, 180, 141, 235, 12, 109, 181, 109, 97, 73, 162, 200, 56, 54, 73, 39, 112, 8, 41,
        144, 126, 49, 6, 227, 98, 208, 197, 120, 49, 94, 12, 198, 197, 24, 227, 49, 13, 148, 6, 0, 53, 200, 176, 66,
        171, 2, 195, 221, 245, 140, 69, 128, 200, 43, 73, 0,
    ]

    @Test func messagesOfLibjxlAboutDamageAreDropped() throws {
        let home = try ToolHome()
        let whole = try home.run("img-downsample", [home.write("whole.jxl", Self.picture), "-o", "whole.png"])
        if whole.stderr.contains("libjxl is not installed") { return }
        try whole.expect(0)
        // Offsets at which damage makes libjxl 0.7 print messages, each for a different reason.
        for place in [11, 21, 34, 45, 53, 63, 77, 83] {
            var damaged = Self.picture
            damaged[place] ^= 0x10
            let path = try home.write("damaged-\(place).jxl", damaged)
            let output = try home.run("img-downsample", [path, "-o", "damaged.png"])
            #expect(output.errorLines.allSatisfy { $0.hasPrefix("img-downsample: ") }, "\(place): \(output)")
        }
    }

    @Test func messagesOfFontconfigAreDropped() throws {
        let home = try ToolHome()
        let configuration = try home.write("fonts.conf", "<fontconfig><match")
        let output = try home.run(
            "img-downsample", ["missing.png", "--fallback", "--width", "300", "--output-dir", "out"],
            environment: ["FONTCONFIG_FILE": configuration])
        #expect(output.errorLines.allSatisfy { $0.hasPrefix("img-downsample: ") }, "\(output)")
        #expect(try output.records.count == 1, "\(output)")
    }
}
