import Formats
import Libc
import Support
import TestSupport
import Testing

@testable import Images

@Suite struct PlaceholderHashTests {
    private func drawn(_ width: Int, _ height: Int, _ pixel: (Int, Int) -> [Int]) -> PixelBuffer {
        var bytes: [UInt8] = []
        for y in 0..<height { for x in 0..<width { bytes += pixel(x, y).map { UInt8(truncatingIfNeeded: $0) } } }
        return PixelBuffer(
            size: PixelSize(width: width, height: height), channels: bytes.count / width / height, bytes: bytes)
    }

    // The expected hashes come from a reference model, which sums over whole planes as in the definition.
    @Test(arguments: [
        (30, 20, "nvgNJZpgdndwh4h2iGiIh8CgDfh4"), (20, 30, "nggOJRpgdnCHaIdoiId4eNCgDPh4"),
        (16, 16, "HQkOHxxgdodwiHiGeGd4d3h3OD/5gI8I"), (100, 9, "nvgNKZxyZ3dwh2d3oIId+Hg="),
        (1, 1, "AAgCBwAAAAAAAAAAAAAAAAAAAAAAAAAA"),
    ])
    func opaqueHashesMatchTheReference(width: Int, height: Int, hash: String) {
        let picture = drawn(width, height) { x, y in
            [x * 255 / max(width - 1, 1), y * 255 / max(height - 1, 1), x * y * 3 % 256, 255]
        }
        #expect(PlaceholderHash(picture).thumbHash == hash)
    }

    @Test(arguments: [
        (30, 20, "naiGK443aXiwiId4TwdteICHiIiIiIg="), (13, 40, "2EeGIgw3WrCHd4haTwc+iYCHiIiIiIg="),
        (100, 100, "GliGLQg3LmigeHhoeFtPCI2HgIeIiIiIiA=="),
    ])
    func transparentHashesMatchTheReference(width: Int, height: Int, hash: String) {
        let picture = drawn(width, height) { x, y in
            let across = x * 255 / max(width - 1, 1)
            return [(x * 7 + y * 3) % 256, 255 - across, y * 200 / max(height - 1, 1), across]
        }
        // The hasher drops the colour of fully transparent pixels; the model multiplies it by 0.
        #expect(PlaceholderHash(picture).thumbHash == hash)
    }

    @Test func decodedHashResemblesThePicture() {
        // Red at the top left, blue at the bottom right, on gray.
        let picture = drawn(90, 60) { x, y in
            x < 45 && y < 30 ? [220, 40, 40] : x >= 45 && y >= 30 ? [30, 50, 200] : [128, 128, 128]
        }
        let likeness = Likeness(ThumbHash.bytes(rgba(picture)))
        #expect(likeness.isLandscape && !likeness.hasAlpha)
        let upperLeft = likeness.colour(0.25, 0.25)
        let lowerRight = likeness.colour(0.75, 0.75)
        #expect(upperLeft.red > 0.6 && upperLeft.blue < 0.4)
        #expect(lowerRight.blue > 0.55 && lowerRight.red < 0.35)
        // The mean of the four quarters: (220 + 30 + 2 x 128) / 4 and so on.
        let mean = likeness.mean
        #expect(abs(mean.red - 126.5 / 255) < 0.04)
        #expect(abs(mean.green - 86.5 / 255) < 0.04)
        #expect(abs(mean.blue - 124 / 255) < 0.04)
    }

    @Test(arguments: [1, 2, 3, 4]) func rowsOfEveryLayoutAreAveraged(channels: Int) {
        let picture = PixelBuffer.waves(1000, 731, channels: channels)
        let whole = PlaceholderHash(picture)
        // In soft waves, every tenth pixel is close to the mean of the box around it.
        let small = drawn(100, 73) { x, y in
            (0..<channels).map { Int(picture.sample(x * 10 + 5, min(y * 10 + 5, 730), $0)) }
        }
        let a = Likeness(decoded(whole.thumbHash))
        let b = Likeness(decoded(PlaceholderHash(small).thumbHash))
        #expect(a.isLandscape && a.hasAlpha == picture.hasAlpha)
        #expect(abs(a.mean.red - b.mean.red) < 0.03 && abs(a.mean.green - b.mean.green) < 0.03)
        #expect(abs(a.mean.blue - b.mean.blue) < 0.03)
    }

    @Test func everySizeHasAHash() {
        for (width, height) in [(1, 1), (1, 4000), (4000, 1), (101, 100), (199, 150), (99, 3), (250, 250)] {
            let picture = PixelBuffer(size: PixelSize(width: width, height: height), filledWith: [10, 200, 30])
            let hash = PlaceholderHash(picture)
            #expect(hash.dominantColour == "#0ac81e", "\(width)x\(height)")
            #expect(Likeness(decoded(hash.thumbHash)).mean.green > 0.7)
        }
    }

    @Test func mostFrequentColourIsDominant() {
        let picture = drawn(100, 100) { x, y in x < 70 ? [30, 60, 120] : [200, 180, 40] }
        #expect(PlaceholderHash(picture).dominantColour == "#1e3c78")
    }

    @Test func similarColoursInDifferentCellsAreCountedTogether() {
        // The grays 63 and 65 are in different cells. A small area is green.
        let picture = drawn(100, 100) { x, y in
            x < 6 ? [10, 70, 10] : (x + y) % 2 == 0 ? [63, 63, 63] : [65, 65, 65]
        }
        #expect(["#3f3f3f", "#404040", "#414141"].contains(PlaceholderHash(picture).dominantColour))
    }

    @Test func colouredAreaWinsOverBlackSkyButADotDoesNot() {
        let nebula = drawn(100, 100) { x, y in x < 30 ? [180, 40, 60] : [0, 0, 0] }
        #expect(PlaceholderHash(nebula).dominantColour == "#b4283c")
        let dot = drawn(100, 100) { x, y in x < 10 && y < 10 ? [180, 40, 60] : [0, 0, 0] }
        #expect(PlaceholderHash(dot).dominantColour == "#000000")
    }

    @Test func saturatedColourIsPreferredToALargerDullArea() throws {
        // Petals and earth are both shaded, as in photographs.
        let flowers = drawn(100, 100) { x, y in
            let shade = (x * 7 + y * 3) % 40
            return x < 40
                ? [230 - shade, 120 - shade, 175 - shade] : [110 - shade / 2, 85 - shade / 2, 60 - shade / 2]
        }
        let colour = try #require(RGB(hex: PlaceholderHash(flowers).dominantColour))
        #expect(colour.red > 180 && colour.blue > 120 && colour.green < colour.blue, "\(colour)")
    }

    @Test func shadesOfASurfaceAreCountedTogether() throws {
        // A shaded red ball in front of a gray wall, which has a larger area than any single shade of the ball.
        let ball = drawn(100, 100) { x, y in
            x < 45 ? [120 + y, 20 + y / 4, 20 + y / 4] : [90, 90, 90]
        }
        let colour = try #require(RGB(hex: PlaceholderHash(ball).dominantColour))
        #expect(colour.red > 2 * colour.green && colour.green < 80, "\(colour)")
    }

    @Test(
        .enabled(if: Corpus.isPresent),
        arguments: [
            "photos/flower.png.im_q85_420_progr.jpg", "photos/flower_cropped.jpg",
            "photos/flower_small.q85_420_non_interleaved.jpg", "photos/tmshre_riaphotographs_alpha.png",
            "webp/flower2.webp",
        ]) func dominantColourOfPinkFlowersIsPink(file: String) throws
    {
        let picture = try decode(MemorySource(Corpus.bytes("images/\(file)"))).averaged(atMost: 100)
        let colour = try #require(RGB(hex: PlaceholderHash(picture).dominantColour))
        // The smallest channel of brown is blue; the smallest channel of pink is green.
        #expect(colour.green < colour.blue && colour.green < colour.red, "\(colour)")
        #expect(Int(colour.red) + Int(colour.blue) > 256, "\(colour)")
    }

    @Test func dominantColourIgnoresTransparentPixels() {
        let picture = drawn(100, 100) { x, y in x < 90 ? [255, 255, 255, 0] : [20, 40, 220, 255] }
        #expect(PlaceholderHash(picture).dominantColour == "#1428dc")
        let nothing = PixelBuffer(size: PixelSize(width: 300, height: 2), filledWith: [255, 255, 255, 0])
        #expect(PlaceholderHash(nothing).dominantColour == "#000000")
    }

    private func rgba(_ picture: PixelBuffer) -> PixelBuffer {
        drawn(picture.size.width, picture.size.height) { x, y in
            (0..<3).map { Int(picture.sample(x, y, $0)) } + [255]
        }
    }

    private func decoded(_ text: String) -> [UInt8] {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var bits = 0
        var count = 0
        var bytes: [UInt8] = []
        for letter in text where letter != "=" {
            bits = bits << 6 | alphabet.firstIndex(of: letter)!
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bytes
    }
}

/// A decoded ThumbHash.
private struct Likeness {
    typealias Colour = (red: Double, green: Double, blue: Double)
    let isLandscape: Bool
    let hasAlpha: Bool
    private typealias Plane = (mean: Double, scale: Double, across: Int, down: Int, terms: [Double])
    private var planes: [Plane] = []

    init(_ hash: [UInt8]) {
        let first = Int(hash[0]) | Int(hash[1]) << 8 | Int(hash[2]) << 16
        let second = Int(hash[3]) | Int(hash[4]) << 8
        hasAlpha = first >> 23 == 1
        isLandscape = second >> 15 == 1
        let longer = hasAlpha ? 5 : 7
        var place = (hasAlpha ? 6 : 5) * 2
        func plane(_ mean: Double, _ scale: Double, _ across: Int, _ down: Int) -> Plane {
            var terms: [Double] = []
            for v in 0..<down {
                for u in (v == 0 ? 1 : 0)..<max(across, 1) where u * down < across * (down - v) {
                    terms.append((Double(hash[place / 2] >> (place % 2 * 4) & 15) / 7.5 - 1) * scale)
                    place += 1
                }
            }
            return (mean, scale, across, down, terms)
        }
        let across = max(3, isLandscape ? longer : second & 7)
        let down = max(3, isLandscape ? second & 7 : longer)
        planes.append(plane(Double(first & 63) / 63, Double(first >> 18 & 31) / 31, across, down))
        planes.append(plane(Double(first >> 6 & 63) / 31.5 - 1, Double(second >> 3 & 63) / 63, 3, 3))
        planes.append(plane(Double(first >> 12 & 63) / 31.5 - 1, Double(second >> 9 & 63) / 63, 3, 3))
    }

    var mean: Colour { colour(planes.map(\.mean)) }

    func colour(_ x: Double, _ y: Double) -> Colour {
        colour(
            planes.map { plane in
                var value = plane.mean
                var next = 0
                for v in 0..<plane.down {
                    for u in (v == 0 ? 1 : 0)..<plane.across where u * plane.down < plane.across * (plane.down - v) {
                        let factor = (u > 0 ? 2.0 : 1) * (v > 0 ? 2 : 1)
                        value += plane.terms[next] * factor * cos(.pi * Double(u) * x) * cos(.pi * Double(v) * y)
                        next += 1
                    }
                }
                return value
            })
    }

    private func colour(_ values: [Double]) -> Colour {
        let blue = values[0] - values[1] * 2 / 3
        let red = (3 * values[0] - blue + values[2]) / 2
        return (red, red - values[2], blue)
    }
}
