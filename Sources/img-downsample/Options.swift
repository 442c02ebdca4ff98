import Commands
import Images
import Options
import Placeholders
import Records
import Support
import Variants

extension AnyOption {
    // MARK: Size and shape

    static let variant = Option.text(
        "variant", "NAMES", .sizes,
        completion: .list([
            "pager", "overlay", "fit", "custom", "launch-card", "detail-view", "rocket-card", "preference-view",
        ]), repeats: true, summary: "Variants and styles to make; several with commas.")
    static let width = Option<Widths>(
        "width", form: .value("PIXELS"), expected: Widths.expected, group: .sizes,
        summary: "Maximum width; several with commas, such as 320,640,1280, make variants 320w, 640w and 1280w.",
        read: Widths.init)
    /// JPEG, which ends at 65535, has the largest sides.
    static let height = Option.number(
        "height", .sizes, as: "PIXELS", in: Widths.range, of: "pixels", summary: "Maximum height.")
    static let fit = Option<FitBox>(
        "fit", form: .value("WxH"), expected: "points such as 300x200", group: .sizes,
        summary: "Fit into this box of points, such as 300x200 (rounded up; see --exact).", read: FitBox.init)
    static let aspectRatio = Option<Double>(
        "aspect-ratio", form: .value("RATIO"), expected: AspectRatio.expected, group: .sizes,
        summary: "Width to height, such as 16:9, for the side that is not given.", read: AspectRatio.read)
    static let scale = Option<Scales>(
        "scale", form: .value("FACTORS"), expected: Scales.expected, group: .sizes, default: "2",
        summary: "Pixels for each point of --fit and of styles; several, such as 1,2,3, make several sizes.",
        manual: "With several, the variants are called launch-card, launch-card@2x and so on.", read: Scales.init)
    static let exact = Option.flag("exact", .sizes, summary: "Do not round --fit.")
    static let enlarge = Option.flag(
        "enlarge", .sizes, isNegatable: true,
        summary: "Make small pictures larger; by default only for styles, which --no-enlarge stops.")
    static let contentMode = Option<ContentMode>.case(
        "content-mode", "MODE", .sizes,
        summary: "fit (show all), fill (crop), force (stretch) or contain (show all on a --background).")
    static let gravity = Option<Gravity>.case(
        "gravity", "WHERE", .sizes, summary: "What fill keeps: center, a side or corner, attention or entropy.",
        manual: "attention keeps the part that catches the eye, entropy the one with the most detail.")
    static let focus = Option<Focus>(
        "focus", form: .value("POINT"), expected: "a point such as 40%,30% or 0.4,0.3, from 0 to 100 % each",
        group: .sizes, summary: "The point that fill keeps near the middle, such as 40%,30%.",
        manual: "It goes before a record's own focus, {\"x\":0.4,\"y\":0.3}, which goes before --gravity.",
        read: Focus.init(_:))
    static let region = Option<Region>(
        "region", form: .value("X,Y,W,H"), expected: "X,Y,WIDTH,HEIGHT in pixels or percent, such as 25%,25%,50%,50%",
        group: .sizes, summary: "Use this part of the upright picture only, in pixels or percent.", read: Region.init)
    static let rotate = Option<Int>(
        "rotate", form: .value("DEGREES"), expected: "90, 180 or 270 degrees clockwise",
        completion: .words(["90", "180", "270"]), group: .looks,
        summary: "Turn clockwise by 90, 180 or 270 degrees, before anything is measured."
    ) { ["0": 0, "90": 1, "180": 2, "270": 3, "-90": 3, "-180": 2, "-270": 1][$0] }
    static let poster = Option.flag("poster", .looks, summary: "Take the first frame of an animation only.")
    static let frame = Option.number(
        "frame", .looks, in: 0...1_000_000, of: "the number of a frame",
        summary: "Take this frame of an animation only, counted from 0.")

    static let fps = Option.decimal(
        "fps", "N", .looks, in: 0.1...100, expected: "frames a second, from 0.1 to 100",
        summary: "Show at most so many frames of an animation in a second; the others are left out.")

    // MARK: Format and look

    static let format = Option<PictureFormatChoice>(
        "format", form: .value("FORMAT"), choices: { PictureFormatChoice.words }, group: .looks,
        default: "what the name of -o says, else auto", summary: "auto (as the source), jpeg, png, webp, avif or gif.",
        read: PictureFormatChoice.init)
    static let chroma = Option<ChromaChoice>.case(
        "chroma", "HOW", .looks, default: "auto",
        summary: "auto (as the picture needs it), 420 (halve colour detail) or 444 (keep it).",
        manual: "Of JPEG, WebP and AVIF. auto keeps it from --quality 90 on, and below that if the picture has sharp"
            + " colours, such as stars, diagrams or lettering; a JPEG of more than 4 megapixels is halved unless told"
            + " otherwise. A WebP's chroma is always halved, 444 does so with more care.")
    static let gradient = Option<Gradient>.case(
        "gradient", "KIND", .looks, summary: "Darken towards the bottom: standard, enhanced (up to the middle) or none."
    )
    static let cornerRadius = Option.decimal(
        "corner-radius", "RADIUS", .looks, in: 0...20_000, expected: "a radius from 0 to 20000",
        summary: "Round the corners: points for styles, else pixels.")
    static let background = Option<Backdrop>(
        "background", form: .value("COLOUR"), expected: "a colour such as #1a2b3c, blur or dominant", group: .looks,
        default: "#ffffff", summary: "What lies under transparent pixels in a format without transparency.",
        manual: "With --content-mode contain, it is also what fills the rest: a colour, blur (the picture, blurred) or"
            + " dominant (the picture's main colour)."
    ) { text in
        switch text {
        case "blur": .blur
        case "dominant": .dominant
        default: RGB(hex: text).map { .colour($0) }
        }
    }
    static let fitBytes = Option.size(
        "fit-bytes", .looks, such: "100KB", summary: "Lower the quality until the file fits, such as 100KB.")
    static let progressive = Option.flag("progressive", .looks, summary: "Write JPEG in scans, PNG interlaced.")
    static let linear = Option.flag("linear", .looks, summary: "Mix colours in linear light.")
    static let metadata = Option<KeptMetadata>(
        "metadata", synonyms: ["keep-metadata", "keep-profile", "keep-copyright"], form: .value("KINDS"),
        expected: "profile, copyright and exif, with commas between them",
        completion: .list(KeptMetadata.allWords), group: .looks,
        summary: "What to keep: profile (in place of sRGB), copyright (and artist), exif (and XMP, with the place).",
        read: KeptMetadata.init)
    static let printHash = Option.flag(
        "print-hash", .looks, summary: "Add the dominant colour and a ThumbHash to each variant.")
    static let decoder = Option<DecoderChoice>.case(
        "decoder", "HOW", .looks, default: "auto",
        summary: "How to decode JPEGs: auto (as the output shows it), fast (leave out more), full (all) or libjpeg.")
    static let allowTruncated = Option.flag(
        "allow-truncated", .looks, summary: "Use what there is of pictures that end too early.")
    static let allowDamaged = Option.flag(
        "allow-damaged", .looks, summary: "Use what can be read of damaged JPEGs and GIFs, and of truncated pictures.",
        manual: "Data that makes no sense is passed over, as browsers do. There is a warning, and the variant says"
            + " damaged.")

    // MARK: Files

    static let output = Option.path(
        "output", short: "o", .files, summary: "Write the one picture to this file; - is standard output.")
    static let incremental = Option.flag(
        "incremental", .files, summary: "Write a record each time a variant is done, the picture's thumbnail first.")

    // MARK: Placeholders

    static let fallback = Option.flag(
        "fallback", .placeholders, summary: "Draw a placeholder for a record without a picture.")
    static let fallbackMessage = Option<Template>(
        "fallback-message", form: .value("TEXT"), expected: "a text", group: .placeholders,
        summary: "What the placeholder says; fields of the record in braces, as in --name-template.",
        manual: "If the record has not such a field, it says what it would without the option.",
        read: { try Template($0) })
    static let fallbackIcon = Option.path(
        "fallback-icon", .placeholders, summary: "Draw this picture in place of the placeholder's icon.")
    static let theme = Option<Placeholder.Theme>.case(
        "theme", "THEME", .placeholders, default: "light", summary: "The placeholder's colours: light or dark.")
    static let font = Option.path(
        "font", .placeholders, as: "FONT", summary: "The placeholder's font: a file or a family.")

    // MARK: Limits
}

/// The box of `--fit`, in points.
struct FitBox: Sendable {
    let width: Double
    let height: Double

    /// Reads `300x200`; nil unless both sides are from 1 to 20,000.
    init?(_ text: String) {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Double($0) ?? .nan }
        guard sides.count == 2, sides.allSatisfy({ (1...20_000).contains($0) }) else { return nil }
        (width, height) = (sides[0], sides[1])
    }
}

/// The pixels of `--width`.
struct Widths: Sendable {
    /// JPEG, which ends at 65535, has the largest sides.
    static let range = 1...65_535
    static let expected = "pixels from 1 to 65535, or several such as 320,640,1280"
    let values: [Int]

    /// Reads `320` or `320,640`; nil unless all are in range and differ, as they become names.
    init?(_ text: String) {
        values = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        guard values.allSatisfy(Self.range.contains), Set(values).count == values.count else { return nil }
    }
}

/// The factors of `--scale`.
struct Scales: Sendable {
    static let expected = "pixels for each point, from 1 to 3, or several such as 1,2,3"
    let values: [Double]

    /// Reads `2`, `1.5` or `1,2,3`. Several are whole and differ, as they become names; nil for anything else.
    init?(_ text: String) {
        let factors = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) ?? .nan }
        guard factors.allSatisfy({ (1...3).contains($0) }) else { return nil }
        if factors.count > 1 {
            guard Set(factors).count == factors.count, factors.allSatisfy({ $0 == $0.rounded() }) else { return nil }
        }
        values = factors
    }
}

/// The metadata of `--metadata`.
struct KeptMetadata: Sendable {
    static let allWords = ["profile", "copyright", "exif"]
    let words: Set<String>

    /// Reads `exif` or `profile,copyright`; nil for other words.
    init?(_ text: String) {
        words = Set(text.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        guard words.isSubset(of: Self.allWords) else { return nil }
    }
}

/// How JPEGs are decoded.
enum DecoderChoice: String, CaseIterable, Sendable {
    case auto, fast, full, libjpeg
}

/// A format by name, or the source's.
enum PictureFormatChoice: Sendable, Equatable {
    case auto
    case fixed(OutputFormat)

    static var words: [String] { ["auto"] + OutputFormat.allCases.map(\.rawValue) }

    init?(_ text: String) {
        if text == "auto" {
            self = .auto
        } else if let format = OutputFormat(rawValue: text == "jpg" ? "jpeg" : text) {
            self = .fixed(format)
        } else {
            return nil
        }
    }
}

extension [AnyOption] {
    static let sizes: [AnyOption] = [
        .variant, .width, .height, .fit, .aspectRatio, .scale, .exact, .enlarge, .contentMode, .gravity, .focus,
        .region,
    ]

    static let looks: [AnyOption] = [
        .format, .quality, .effort, .chroma, .fitBytes, .progressive, .gradient, .cornerRadius, .background, .rotate,
        .linear, .metadata, .poster, .frame, .fps, .printHash, .decoder,
        .allowTruncated, .allowDamaged,
    ]

    static let files: [AnyOption] = [.output, .outputDir, .nameTemplate, .sync, .allowPath, .incremental]

    static let placeholders: [AnyOption] = [.fallback, .fallbackMessage, .fallbackIcon, .theme, .font]

    static let limits: [AnyOption] = [
        .maxBytes, .maxPixels, .maxFrames, .maxAnimationPixels, .maxMemory, .maxSeconds,
    ]
}
