import Formats
import Images
import Placeholders
import Records
import Support

/// What is drawn where there is no picture.
public struct Fallback: Sendable {
    /// What every placeholder says; nil is what fits what is missing.
    public var message: String?
    public var theme: Placeholder.Theme
    /// A font's file or family; nil is found.
    public var font: String?

    public init(message: String? = nil, theme: Placeholder.Theme = .light, font: String? = nil) {
        self.message = message
        self.theme = theme
        self.font = font
    }

    /// The placeholder for a record without a picture, or for one whose picture cannot be shown.
    ///
    /// - Parameter failure: why, where it is known now; else the record's own `error` tells.
    public func placeholder(for record: Record, _ failure: (any Failure)?) -> Placeholder {
        let status = failure.map { Int($0.exitCode.rawValue) } ?? record.integer("error.exit")
        let missing: Placeholder.Missing =
            switch (record.string("media_type"), status) {
            case ("video", _): .video
            case (_, Int(ExitCode.temporary.rawValue)): .network
            case (_, Int(ExitCode.notAllowed.rawValue)): .forbidden
            default: .picture
            }
        // As much as is looked at, and no more than a key can hold.
        let text = String(String.UnicodeScalarView((message ?? Self.message(missing)).unicodeScalars.prefix(4000)))
        return Placeholder(missing: missing, message: text, theme: theme, font: font)
    }

    private static func message(_ missing: Placeholder.Missing) -> String {
        switch missing {
        case .picture: "No picture"
        case .video: "Video"
        case .network: "Not available now"
        case .forbidden: "Not allowed"
        }
    }
}

extension Variant {
    /// What a placeholder for it measures: the box, where it is known; a side that follows from the picture is as for
    /// one of 3:2, and so are both where only their ratio is known.
    var placeholderSize: PixelSize {
        let (width, height): (Int, Int) =
            switch geometry.box {
            case (let width?, let height?): (width, height)
            case (let width?, nil): (width, max(Int((Double(width) / 1.5).rounded()), 1))
            case (nil, let height?): (max(Int((Double(height) * 1.5).rounded()), 1), height)
            case (nil, nil): Self.within(width: 1200, height: 800, geometry.aspectRatio)
            }
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

extension VariantMaker {
    /// The format of a placeholder: it has no source, so `auto` is PNG, which keeps letters sharp and small.
    func placeholderFormat(_ request: OutputFormat?) -> OutputFormat { request ?? rendition.format ?? .png }

    /// Every option that changes a placeholder's bytes, as a cache's key.
    func key(_ placeholder: Placeholder, _ variant: Variant) -> String {
        // In hexadecimal digits, since a key has no control characters, and every character counts.
        func digits(_ text: String) -> String {
            text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        return "placeholder:\(key(variant));missing=\(placeholder.missing.rawValue);theme=\(placeholder.theme.rawValue)"
            + ";font=\(digits(placeholder.font ?? ""));message=\(digits(placeholder.message))"
    }

    /// Draws a placeholder of exactly the variant's size and looks. Gives what it was not drawn with, in words.
    public func draw(
        _ placeholder: Placeholder, _ request: Request
    ) throws -> (result: DownsampleResult, warnings: [String]) {
        var options = options.begun()
        // The limit is for strangers' pictures; this one's size was asked for.
        options.limits.maxPixels = max(options.limits.maxPixels, DecodeLimits.standard.maxPixels)
        let memory = try options.reserve(memory: request.variant.placeholderSize, bytesPerPixel: 4)
        defer { withExtendedLifetime(memory) {} }
        let drawing = try placeholder.draw(size: request.variant.placeholderSize, scale: 2)
        let output = Output(
            .exactly(request.variant.placeholderSize), encoding: rendition.encoding(placeholderFormat(request.format)),
            gradient: request.variant.gradient, cornerRadius: request.variant.cornerRadius,
            wantsHash: rendition.wantsHash, byteLimit: rendition.byteLimit, sink: request.sink)
        return (try render(drawing.pixels, to: output, options: options), drawing.warnings)
    }
}
