import Formats
import Images
import Placeholders
import Support

/// Placeholders, each exactly of its variant's size and looks.
struct PlaceholderSource: VariantSource {
    let placeholder: Placeholder
    /// What is drawn in place of the icon; nil is the placeholder's own.
    var icon: FallbackIcon?
    let maker: VariantMaker
    /// What it is known to be drawn without, in words.
    var lacks: [String] = []

    /// Thrown before anything is written, if a font or a library for its words is missing and that was not known.
    struct Incomplete: Error {
        let lacks: [String]
    }

    /// One without its words has a key of its own, so that it is drawn anew when there may be a font.
    func key(_ variant: Variant) -> String {
        let missing = lacks.isEmpty ? "" : "incomplete:lacks=\(Self.digits(lacks.joined(separator: "\n")));"
        return "\(missing)placeholder:\(maker.key(variant));pixels=\(variant.placeholderSize)"
            + ";missing=\(placeholder.missing.rawValue)"
            + ";theme=\(placeholder.theme.rawValue);font=\(Self.digits(placeholder.font ?? ""))"
            + ";icon=\(icon?.sha256 ?? "");message=\(Self.digits(placeholder.message))"
    }

    /// In hexadecimal digits, since a key has no control characters, and every character counts.
    private static func digits(_ text: String) -> String {
        text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    func content() -> String { "" }

    /// It has no source, so `auto` is PNG, which keeps letters sharp and small.
    func format(of variant: Variant) -> OutputFormat { maker.rendition.format ?? .png }

    /// Throws `Incomplete`, `ImageError`, `PlaceholderError`, `Cancelled`, and what the sinks and `done` throw.
    func make(_ requests: [VariantMaker.Request], done: (Int, DownsampleResult) throws -> Void) throws {
        for (index, request) in requests.enumerated() { try done(index, try draw(request)) }
    }

    private func draw(_ request: VariantMaker.Request) throws -> DownsampleResult {
        let (variant, rendition) = (request.variant, maker.rendition)
        var options = maker.options.begun()
        // The limit is for strangers' pictures; this one's size was asked for.
        options.limits.maxPixels = max(options.limits.maxPixels, DecodeLimits.standard.maxPixels)
        let memory = try options.reserve(memory: variant.placeholderSize, bytesPerPixel: 4)
        defer { withExtendedLifetime(memory) {} }
        let drawing = try placeholder.draw(
            size: variant.placeholderSize, scale: 2, gradient: variant.gradient,
            icon: icon.map { icon in { try icon.pixels(within: $0, options: options) } })
        if lacks.isEmpty, !drawing.warnings.isEmpty { throw Incomplete(lacks: drawing.warnings) }
        let output = Output(
            .exactly(variant.placeholderSize), encoding: rendition.encoding(format(of: variant)),
            cornerRadius: variant.cornerRadius, wantsHash: rendition.wantsHash, byteLimit: rendition.byteLimit,
            sink: request.sink)
        return try render(drawing.pixels, to: output, options: options)
    }
}

extension Variant {
    /// What a placeholder for it measures: the shape that was asked for, or else the box, where it is known; a side that follows from the picture is as for
    /// one of 3:2, and so are both where only their ratio is known.
    var placeholderSize: PixelSize {
        if let shape { return Self.held(shape.width, shape.height) }
        let (width, height): (Int, Int) =
            switch geometry.box {
            case (let width?, let height?): (width, height)
            case (let width?, nil): (width, max(Int((Double(width) / 1.5).rounded()), 1))
            case (nil, let height?): (max(Int((Double(height) * 1.5).rounded()), 1), height)
            case (nil, nil): Self.within(width: 1200, height: 800, geometry.aspectRatio)
            }
        return Self.held(width, height)
    }

    /// The size, or one of its shape that can be drawn.
    private static func held(_ width: Int, _ height: Int) -> PixelSize {
        let long = max(width, height)
        guard long > Placeholder.largestSide else { return PixelSize(width: width, height: height) }
        func held(_ side: Int) -> Int { max(side * Placeholder.largestSide / long, 1) }
        return PixelSize(width: held(width), height: held(height))
    }

    /// The largest size of a shape within a box; the box where no shape is asked for.
    private static func within(width: Int, height: Int, _ ratio: Double?) -> (Int, Int) {
        guard let ratio else { return (width, height) }
        let columns = min(Double(width), Double(height) * ratio)
        return (max(Int(columns.rounded()), 1), max(Int((columns / ratio).rounded()), 1))
    }
}
