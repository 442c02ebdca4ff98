import Images
import Records
import Support
import TestSupport
import Testing

/// Pixel values of gradients and corners.
struct DownsampleGradientAndCornersTests {
    // MARK: Gradient

    /// Returns the defined opacity of black in a row. The stops are evenly spaced from the bottom edge to the top edge,
    /// or to the middle for `enhanced`.
    private func opacity(_ kind: String, row: Int, height: Int) -> Double {
        let stops = [0.8, 0.5, 0.2, 0]
        var way = (Double(height) - Double(row) - 0.5) / Double(height)
        if kind == "enhanced" { way *= 2 }
        let place = way * 3
        guard kind != "none", place < 3 else { return 0 }
        let from = Int(place)
        return stops[from] + (stops[from + 1] - stops[from]) * (place - Double(from))
    }

    @Test(arguments: ["standard", "enhanced", "none"], [1, 2, 3, 4])
    func gradientIsExactToOneLevel(kind: String, channels: Int) throws {
        let home = try ToolHome()
        for (width, height) in [(61, 47), (20, 300), (5, 1)] {
            let picture = DrawnPicture.noise(width, height, channels: channels, seed: 8)
            try home.write("noise.png", picture.png())
            let made = try home.shrunk(["noise.png", "--gradient", kind])
            #expect(made.words == "\(width)x\(height)")
            let source = PixelBuffer(picture)
            var worst = 0
            for y in 0..<height {
                let black = opacity(kind, row: y, height: height)
                for x in 0..<width {
                    let (before, after) = (source.colour(x, y), made.colour(x, y))
                    let below = Double(before[3]) / 255
                    let alpha = black + below * (1 - black)
                    worst = max(worst, abs(after[3] - Int((alpha * 255).rounded())))
                    // The colours of nearly transparent pixels are not compared.
                    guard after[3] > 0 else { continue }
                    for channel in 0..<3 {
                        let value = alpha > 0 ? Double(before[channel]) * below * (1 - black) / alpha : 0
                        worst = max(worst, abs(after[channel] - Int(value.rounded())))
                    }
                }
            }
            #expect(worst <= 1, "\(kind) of \(channels) channels, \(width)x\(height)")
        }
    }

    @Test func gradientIsDrawnOverTheUprightOutput() throws {
        let home = try ToolHome()
        let white = try Picture.encoded(.solid(80, 120, [255, 255, 255]), .jpeg)
        for orientation in UInt8(1)...8 {
            try home.write("white.jpg", Picture.turned(white, orientation: orientation))
            let made = try home.shrunk(["white.jpg", "--height", "60", "--gradient", "enhanced"])
            for y in 0..<60 {
                let expected = Int((255 * (1 - opacity("enhanced", row: y, height: 60))).rounded())
                #expect(
                    abs(made.colour(made.size.width / 2, y)[0] - expected) <= 1, "orientation \(orientation), row \(y)")
            }
        }
    }

    // MARK: Corners

    @Test(arguments: [1, 2, 3, 4]) func cornersAreRoundAndSoft(channels: Int) throws {
        let home = try ToolHome()
        let colour: [UInt8] = [[200], [200, 255], [200, 100, 50], [200, 100, 50, 255]][channels - 1]
        try home.write("solid.png", DrawnPicture.solid(60, 40, colour).png())
        let made = try home.shrunk(["solid.png", "--corner-radius", "12.5"])
        #expect(made.hasAlpha && made.words == "60x40")
        for y in 0..<40 {
            for x in 0..<60 {
                let (across, down) = (min(x, 59 - x), min(y, 39 - y))
                // The fraction of the pixel inside the outline, from 16x16 samples.
                var inside = 256
                if Double(across) < 12.5 && Double(down) < 12.5 {
                    inside = 0
                    for i in 0..<16 {
                        for j in 0..<16 {
                            let u = 12.5 - (Double(across) + (Double(i) + 0.5) / 16)
                            let v = 12.5 - (Double(down) + (Double(j) + 0.5) / 16)
                            if u <= 0 || v <= 0 || u * u + v * v <= 12.5 * 12.5 { inside += 1 }
                        }
                    }
                }
                let pixel = made.colour(x, y)
                #expect(abs(pixel[3] - inside * 255 / 256) <= 4, "\(x),\(y): \(pixel)")
                if pixel[3] > 0 { #expect(pixel[0] == 200, "\(x),\(y): \(pixel)") }
            }
        }
    }

    @Test(arguments: [1, 2, 3, 4]) func cornersShowTheBackgroundIfTheFormatHasNoAlpha(channels: Int) throws {
        let home = try ToolHome()
        let colour: [UInt8] = [[200], [200, 255], [200, 100, 50], [200, 100, 50, 255]][channels - 1]
        try home.write("solid.png", DrawnPicture.solid(128, 96, colour).png())
        for (hex, background) in [("#ff0000", [255, 0, 0]), ("#00f", [0, 0, 255]), ("#808080", [128, 128, 128])] {
            let made = try home.shrunk(
                ["solid.png", "--corner-radius", "40", "--background", hex, "--quality", "95"], to: "made.jpg")
            let corner = made.colour(1, 1)
            for channel in 0..<3 {
                #expect(abs(corner[channel] - background[channel]) <= 12, "\(channels) channels on \(hex): \(corner)")
            }
            #expect(abs(made.colour(64, 48)[0] - 200) <= 4)
        }
        let plain = try home.shrunk(["solid.png", "--corner-radius", "40"], to: "made.jpg")
        #expect(plain.colour(1, 1).allSatisfy { $0 >= 250 })
        try home.run("img-downsample", ["solid.png", "--background", "crimson", "-o", "x.jpg"])
            .expectRefusal(64, "img-downsample", "--background", "crimson")
    }

    @Test func radiusIsLimitedToHalfTheShorterSide() throws {
        let home = try ToolHome()
        try home.write("solid.png", DrawnPicture.solid(40, 40, [9, 9, 9]).png())
        let made = try home.shrunk(["solid.png", "--corner-radius", "20000"])
        // The result is a disc.
        #expect(made.colour(20, 0)[3] > 240 && made.colour(0, 20)[3] > 240 && made.colour(5, 5)[3] < 100)
        #expect(abs(made.mean(3) - 255 * 3.14159 / 4) < 2)
    }
}
