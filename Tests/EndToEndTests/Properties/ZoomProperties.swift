import Formats
import Images
import Records
import Support
import TestSupport
import Testing
import Variants

/// A region and an overlay must show the same content as the whole picture.
struct ZoomProperties {
    private static let png = EncodeOptions(format: .png)

    /// A region as the user types it, and its pixels.
    private struct Choice {
        let text: String
        let x: Int, y: Int, width: Int, height: Int

        /// A random region in pixels or percent, which may extend beyond the picture.
        init(in size: PixelSize, _ random: inout SeededRandom) {
            let inPercent = random.chance(50)
            func lengths(_ side: Int) -> (texts: (String, String), start: Int, count: Int) {
                let bound = inPercent ? 100 : side
                let (start, count) = (random.below(bound * 9 / 10), random.number(1...bound))
                func pixels(_ length: Int) -> Int {
                    inPercent ? Int((Double(side) * Double(length) / 100).rounded()) : length
                }
                let first = pixels(start)
                let unit = inPercent ? "%" : ""
                return (("\(start)\(unit)", "\(count)\(unit)"), first, min(max(pixels(count), 1), side - first))
            }
            let (across, down) = (lengths(size.width), lengths(size.height))
            (x, y, width, height) = (across.start, down.start, across.count, down.count)
            text = "\(across.texts.0),\(down.texts.0),\(across.texts.1),\(down.texts.1)"
        }
    }

    @Test("Feature: nasa-apod-viewer, Property 5: a region keeps the aspect ratio and content of the picture")
    func aRegionIsThatPartOfThePicture() throws {
        try forAll { random in
            let size = PixelSize(width: random.number(30...160), height: random.number(30...160))
            let picture = RandomPicture.any(size.width, size.height, &random)
            let choice = Choice(in: size, &random)
            let side = random.number(8...120)
            let part = picture.part(x: choice.x, y: choice.y, width: choice.width, height: choice.height)
            let region = try found(Region(choice.text), "not a valid region: \(choice.text)")

            let made = try Self.shrunk(picture, Geometry(width: side, height: side, region: region))
            let words = "\(choice.text) of \(picture.words) in \(side): \(made.words)"
            try Self.checkAspect(made.size, of: part.size, in: side, words)

            // Crops the region first, resizes it with the same engine, and compares the results. With `region`, the
            // filter also reads pixels outside the region, so the results may differ within three output pixels of the
            // edge.
            let alone = try Self.shrunk(part, Geometry(width: side, height: side))
            let difference = try found(made.meanDifference(to: alone, margin: 3), "\(words), not \(alone.words)")
            try claim(difference <= 0.5, "\(words) differs by \(difference)")

            // Compares with a box filter. Both filters compute a weighted mean of the samples around a pixel. A box
            // reaches half of `scale` to each side. Lanczos reaches three times as far, but its sum of |weight ×
            // distance| is below 1.8 times `scale` in two dimensions. Neighbouring samples differ by `detail` on
            // average, so the results differ by less than (0.5 + 1.8) × `scale` × `detail`, plus rounding.
            let plain = part.boxes(made.size)
            let scale = max(
                Double(part.size.width) / Double(made.size.width), Double(part.size.height) / Double(made.size.height))
            let bound = 2.3 * scale * part.detail + 2
            let error = try found(made.meanDifference(to: plain), "\(words), not \(plain.words)")
            try claim(error <= bound, "\(words) differs by \(error) from its boxes, more than \(bound)")
        }
    }

    @Test("Feature: nasa-apod-viewer, Property 5: an overlay has at least the detail of the pager variant")
    func anOverlayHasAtLeastTheDetailOfAPage() throws {
        try forAll { random in
            let long = random.number(60...3000)
            let short = random.number(20...min(long, 160))
            let isTall = random.chance(50)
            let size = PixelSize(width: isTall ? short : long, height: isTall ? long : short)
            let picture = RandomPicture.rows(size.width, size.height, &random)
            let (overlay, pager) = try Self.variants(of: picture)
            let words = "overlay \(overlay.words), pager \(pager.words) of \(picture.words)"

            try Self.checkAspect(overlay.size, of: size, in: 2048, words)
            try Self.checkAspect(pager.size, of: size, in: 1024, words)
            try claim(overlay.size.width >= pager.size.width && overlay.size.height >= pager.size.height, words)
            // Reduced to the page's size, the larger variant must have all details of the page. The second pass of the
            // filter removes a little of the finest detail.
            let reduced = try Self.shrunk(overlay, Geometry.exactly(pager.size))
            let (kept, wanted) = (reduced.detail, pager.detail)
            try claim(kept >= wanted * 0.93 - 0.5, "\(words): \(kept) of \(wanted)")
            let difference = try found(reduced.meanDifference(to: pager), words)
            try claim(difference <= 0.15 * wanted + 1, "\(words) differ by \(difference) at a detail of \(wanted)")
        }
    }

    @Test("Feature: nasa-apod-viewer, Property 5: the tool crops to exactly the requested region")
    func theToolZoomsToTheRegion() throws {
        try forAll(20) { random in
            let home = try ToolHome()
            let size = PixelSize(width: random.number(30...300), height: random.number(30...300))
            let picture = RandomPicture.any(size.width, size.height, &random)
            try home.write("a.png", try encode(picture, Self.png))
            let choice = Choice(in: size, &random)
            let arguments = ["a.png", "--region", choice.text, "--variant", "pager,overlay", "--output-dir", "out"]
            let record = try home.run("img-downsample", arguments).expect(0).record
            // Both bounds are larger than the picture and nothing is enlarged, so the pixels are unchanged.
            let part = picture.part(x: choice.x, y: choice.y, width: choice.width, height: choice.height)
            for name in ["pager", "overlay"] {
                try claim(record.variantSize(name) == part.words, "\(choice.text) of \(picture.words): \(record.text)")
                let path = try found(record.variant(name)?.string("path"), "the record has no path: \(record.text)")
                let difference = try home.pixels(path).withAllChannels.meanDifference(to: part.withAllChannels)
                try claim(difference == 0, "\(choice.text) of \(picture.words) has wrong pixels")
            }
        }
    }

    // MARK: Comparisons

    /// Throws unless `made` is `size` scaled down, with its aspect ratio, so that the longer side has at most `side`
    /// pixels. A smaller `size` must be unchanged. Allows a difference of one pixel per side.
    private static func checkAspect(_ made: PixelSize, of size: PixelSize, in side: Int, _ words: String) throws {
        let ratio = min(1, Double(side) / Double(max(size.width, size.height)))
        let (width, height) = (Double(size.width) * ratio, Double(size.height) * ratio)
        let isNear = abs(Double(made.width) - width) <= 1 && abs(Double(made.height) - height) <= 1
        try claim(isNear, "\(words), not about \(width) by \(height)")
    }

    /// The downsampled picture, as pixels.
    private static func shrunk(_ picture: PixelBuffer, _ geometry: Geometry) throws -> PixelBuffer {
        let source = MemorySource(try encode(picture, png))
        let sink = MemorySink()
        let output = Output(geometry, encoding: png, sink: sink)
        try downsample(source, inspect(source), to: [output]) { _, _ in }
        return try decode(MemorySource(sink.bytes))
    }

    /// Both variants of a picture, from a single decoding.
    private static func variants(of picture: PixelBuffer) throws -> (overlay: PixelBuffer, pager: PixelBuffer) {
        let source = MemorySource(try encode(picture, png))
        let maker = VariantMaker(
            encodeSettings: EncodeSettings(format: .png, quality: 82, effort: 3), options: DecodeOptions())
        let (overlay, pager) = (MemorySink(), MemorySink())
        try maker.make(
            source, try inspect(source),
            [
                VariantMaker.Request(.overlay, sink: overlay),
                VariantMaker.Request(.pager, sink: pager),
            ]
        ) { _, _ in }
        return (try decode(MemorySource(overlay.bytes)), try decode(MemorySource(pager.bytes)))
    }
}
