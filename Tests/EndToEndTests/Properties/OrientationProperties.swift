import Formats
import Images
import Support
import TestSupport
import Testing
import Variants

/// Pictures in each of the eight EXIF orientations.
struct OrientationProperties {
    /// For each EXIF orientation from 1 to 8, the side of the upright picture that contains the first stored row, and
    /// the side that contains the first stored column (CIPA DC-008 4.6.4).
    private static let sides: [(row: Side, column: Side)] = [
        (.top, .left), (.top, .right), (.bottom, .right), (.bottom, .left), (.left, .top), (.right, .top),
        (.right, .bottom), (.left, .bottom),
    ]

    private enum Side { case top, bottom, left, right }

    /// Returns the pixels as a camera with this orientation stores them.
    private static func stored(_ upright: PixelBuffer, _ orientation: Int) -> PixelBuffer {
        let (row, column) = sides[orientation - 1]
        let (width, height) = (upright.size.width, upright.size.height)
        let swaps = row == .left || row == .right
        let size = swaps ? upright.size.swapped : upright.size
        func position(_ side: Side, _ steps: Int) -> Int {
            switch side {
            case .top, .left: steps
            case .bottom: height - 1 - steps
            case .right: width - 1 - steps
            }
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(upright.bytes.count)
        for r in 0..<size.height {
            for c in 0..<size.width {
                let (x, y) = swaps ? (position(row, r), position(column, c)) : (position(column, c), position(row, r))
                let start = (y * width + x) * upright.channels
                bytes += upright.bytes[start..<start + upright.channels]
            }
        }
        return PixelBuffer(size: size, channels: upright.channels, bytes: bytes)
    }

    /// A file with four quarters in four colours and this orientation.
    private static func file(_ size: PixelSize, _ orientation: Int, _ format: ImageFormat) throws -> [UInt8] {
        let pixels = stored(PixelBuffer(.quarters(size.width, size.height)), orientation)
        if format == .jpeg {
            let jpeg = try encode(pixels, EncodeOptions(format: .jpeg, quality: 95))
            return Picture.turned(jpeg, orientation: UInt8(orientation))
        }
        let drawn = DrawnPicture(
            width: pixels.size.width, height: pixels.size.height, channels: pixels.channels, bytes: pixels.bytes)
        return drawn.png(chunks: [PNGChunk("eXIf", DrawnEXIF.tiff(orientation: orientation))])
    }

    /// A random size: landscape, portrait or square.
    private static func size(_ random: inout SeededRandom) -> PixelSize {
        let (long, short) = (random.number(60...220), random.number(24...58))
        return switch random.below(3) {
        case 0: PixelSize(width: long, height: short)
        case 1: PixelSize(width: short, height: long)
        default: PixelSize(width: short, height: short)
        }
    }

    @Test("Feature: nasa-apod-viewer, Property 6: pictures in every EXIF orientation become upright")
    func everyOrientationComesOutUpright() throws {
        try forAll(200) { random in
            let size = Self.size(&random)
            let orientation = random.number(1...8)
            let format: ImageFormat = random.chance(70) ? .jpeg : .png
            let source = MemorySource(try Self.file(size, orientation, format))
            try claim(try inspect(source).uprightSize == size, "\(size), orientation \(orientation): wrong size")
            let words = "\(size.width)x\(size.height), orientation \(orientation), \(format)"

            let variants = try Self.variants(&random)
            for (variant, made) in zip(variants, try Self.made(source, variants)) {
                try Self.check(made, of: size, as: variant.geometry, "\(variant.name) of \(words)")
            }
        }
    }

    @Test("Feature: nasa-apod-viewer, Property 6: the tool turns every picture upright")
    func theToolTurnsEveryPictureUpright() throws {
        try forAll(16) { random in
            let home = try ToolHome()
            let sizes = (1...8).map { _ in Self.size(&random) }
            for (index, size) in sizes.enumerated() {
                try home.write("\(index + 1).jpg", try Self.file(size, index + 1, .jpeg))
            }
            let files = (1...8).map { "\($0).jpg" }
            let output = try home.run(
                "img-downsample", files + ["--variant", "pager", "--format", "png", "--output-dir", "out"])
            let records = try output.expect(0).records
            try claim(records.count == 8, "\(output)")
            for (index, record) in records.enumerated() {
                let path = try found(record.variant("pager")?.string("path"), "the record has no path: \(record.text)")
                try Self.check(
                    try home.pixels(path), of: sizes[index], as: Variant.pager.geometry,
                    "\(sizes[index]) held as \(index + 1)")
            }
        }
    }

    // MARK: Outputs

    /// A few random variants, without options that would hide the corners.
    private static func variants(_ random: inout SeededRandom) throws -> [Variant] {
        var request = VariantRequest()
        let styles = ["launch-card", "detail-view", "rocket-card", "preference-view"]
        if random.chance(50) {
            request.names = [random.one(of: styles), random.one(of: styles)]
        } else {
            // With a style, explicit sizes would change its crop, which could cut off the corners.
            request.names = [random.one(of: ["pager", "overlay"])]
            request.widths = random.chance(50) ? [random.number(12...90)] : []
            request.height = random.chance(50) ? random.number(12...90) : nil
        }
        request.contentMode = random.one(of: [nil, .fit, .fill, .force])
        // Enlarging a tiny JPEG would blur its chroma across the corners.
        request.enlarges = false
        request.gradient = Gradient.none
        request.cornerRadius = 0
        return try request.variants(styles: Style.builtIn)
    }

    private static func made(_ source: MemorySource, _ variants: [Variant]) throws -> [PixelBuffer] {
        let maker = VariantMaker(
            encodeSettings: EncodeSettings(format: .png, quality: 82, effort: 3), options: DecodeOptions())
        let sinks = variants.map { _ in MemorySink() }
        let requests = zip(variants, sinks).map { VariantMaker.Request($0, sink: $1) }
        try maker.make(source, try inspect(source), requests) { _, _ in }
        return try sinks.map { try decode(MemorySource($0.bytes)) }
    }

    /// Throws if the size does not match the upright form of the picture, or if a colour is in the wrong corner.
    private static func check(
        _ made: PixelBuffer, of size: PixelSize, as geometry: Geometry, _ words: String
    ) throws {
        let (width, height) = expectedSize(of: size, as: geometry)
        let isNear = abs(Double(made.size.width) - width) <= 1 && abs(Double(made.size.height) - height) <= 1
        try claim(isNear, "\(words) is \(made.words), not about \(width) by \(height)")
        let (right, bottom) = (made.size.width - 1, made.size.height - 1)
        let corners = [
            (0, 0, [255, 0, 0]), (right, 0, [0, 255, 0]), (0, bottom, [0, 0, 255]), (right, bottom, [255, 255, 255]),
        ]
        for (x, y, colour) in corners {
            let seen = Array(made.colour(x, y)[..<3])
            let isNear = zip(seen, colour).allSatisfy { abs($0 - $1) <= 60 }
            try claim(isNear, "\(words): \(seen) at \(x), \(y), not \(colour)")
        }
    }

    /// Returns the documented size of a variant. No variant is enlarged; `fit` keeps the aspect ratio of the picture,
    /// and `fill` and `force` use the aspect ratio of the box.
    private static func expectedSize(of size: PixelSize, as geometry: Geometry) -> (width: Double, height: Double) {
        let (width, height) = (Double(size.width), Double(size.height))
        let box = geometry.box
        let across = box.width.map { Double($0) / width }
        let down = box.height.map { Double($0) / height }
        switch (geometry.mode, across, down) {
        case (.force, let across, let down):
            let (across, down) = (across ?? 1, down ?? 1)
            let share = min(1, 1 / across, 1 / down)
            return (width * across * share, height * down * share)
        case (.fill, let across?, let down?):
            let share = min(1, 1 / max(across, down))
            return (width * across * share, height * down * share)
        case (_, let across, let down):
            let ratio = min(across ?? 1, down ?? 1, 1)
            return (width * ratio, height * ratio)
        }
    }
}
