import Formats
import Images
import Placeholders
import Support

/// Draws placeholders with the size, gradient and corners of their variants.
struct PlaceholderSource: VariantSource {
    let placeholder: Placeholder
    var icon: FallbackIcon?
    let maker: VariantMaker
    /// Warnings about missing fonts or libraries; the placeholder is drawn without them. The caller sets this property
    /// after `make` has thrown `Incomplete`.
    var lacks: [String] = []

    /// Thrown before anything is written, if the font or a library for the text is missing and `lacks` is empty.
    struct Incomplete: Error {
        let lacks: [String]
    }

    /// A placeholder with incomplete text has a different key, so that it is drawn again after a font has been
    /// installed.
    func key(_ variant: Variant) -> String {
        let missing = lacks.isEmpty ? "" : "incomplete:lacks=\(Self.digits(lacks.joined(separator: "\n")));"
        return "\(missing)placeholder:\(maker.key(variant));pixels=\(variant.placeholderSize)"
            + ";missing=\(placeholder.missing.rawValue);theme=\(placeholder.theme.rawValue)"
            + ";font=\(Self.digits(placeholder.font ?? ""))"
            + ";icon=\(icon?.sha256 ?? "");message=\(Self.digits(placeholder.message))"
    }

    /// Keys cannot contain control characters.
    private static func digits(_ text: String) -> String { Array(text.utf8).hexDigits }

    func content() -> String { "" }

    /// The default is PNG, which keeps letters sharp and files small.
    func format(of variant: Variant) -> OutputFormat { maker.encodeSettings.format ?? .png }

    /// Throws `Incomplete`, `ImageError`, `PlaceholderError`, `Cancelled`, and errors of the sinks and `done`.
    func make(_ requests: [VariantMaker.Request], done: (Int, DownsampleResult) throws -> Void) throws {
        for (index, request) in requests.enumerated() { try done(index, try draw(request)) }
    }

    private func draw(_ request: VariantMaker.Request) throws -> DownsampleResult {
        let (variant, encodeSettings) = (request.variant, maker.encodeSettings)
        var options = maker.options.begun()
        // The limit protects against malicious pictures, but the size of a placeholder is set by the user.
        options.limits.maxPixels = max(options.limits.maxPixels, DecodeLimits.standard.maxPixels)
        let memory = try options.reserve(memory: variant.placeholderSize, bytesPerPixel: 4)
        defer { withExtendedLifetime(memory) {} }
        let drawing = try placeholder.draw(
            size: variant.placeholderSize, scale: 2, gradient: variant.gradient,
            icon: icon.map { icon in { try icon.pixels(within: $0, options: options) } })
        if lacks.isEmpty, !drawing.warnings.isEmpty { throw Incomplete(lacks: drawing.warnings) }
        let output = Output(
            .exactly(variant.placeholderSize), encoding: encodeSettings.encoding(format(of: variant)),
            cornerRadius: variant.cornerRadius, wantsHash: encodeSettings.wantsHash,
            byteLimit: encodeSettings.byteLimit, sink: request.sink)
        return try render(drawing.pixels, to: output, options: options)
    }
}

extension Variant {
    /// The size of a placeholder: `shape`, or if it is nil, the size of the geometry. A missing width or height is
    /// computed from the ratio 3:2. If both are missing, the size is the largest with the requested aspect ratio within
    /// 1200x800.
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

    /// Returns a size, proportionally reduced if a side exceeds `Placeholder.largestSide`.
    private static func held(_ width: Int, _ height: Int) -> PixelSize {
        let long = max(width, height)
        guard long > Placeholder.largestSide else { return PixelSize(width: width, height: height) }
        func held(_ side: Int) -> Int { max(side * Placeholder.largestSide / long, 1) }
        return PixelSize(width: held(width), height: held(height))
    }

    /// Returns the largest size with the given aspect ratio that fits into a box. Returns the box itself if `ratio` is
    /// nil.
    private static func within(width: Int, height: Int, _ ratio: Double?) -> (Int, Int) {
        guard let ratio else { return (width, height) }
        let columns = min(Double(width), Double(height) * ratio)
        return (max(Int(columns.rounded()), 1), max(Int((columns / ratio).rounded()), 1))
    }
}
