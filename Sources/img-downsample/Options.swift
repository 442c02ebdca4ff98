import Commands
import Images
import Options
import Placeholders
import Records
import Variants

extension AnyOption {
    // MARK: Size and shape

    static let variant = Option.text(
        "variant", "NAMES", .sizes,
        completion: .list([
            "pager", "overlay", "fit", "card", "launch-card", "detail-view", "rocket-card", "preference-view",
        ]), repeats: true, summary: "Variants and styles to make, separated by commas.")
    static let width = Option<Widths>(
        "width", form: .value("PIXELS"), expected: Widths.expected, group: .sizes,
        summary: "Maximum width, or several separated by commas.",
        manual: "Several widths, such as 320,640,1280, make variants 320w, 640w and 1280w.", read: Widths.init)
    /// The maximum side of a JPEG is 65535 pixels.
    static let height = Option.number(
        "height", .sizes, as: "PIXELS", in: Widths.range, of: "pixels", summary: "Maximum height.")
    static let fit = Option<FitBox>(
        "fit", form: .value("WxH"), expected: "points such as 300x200", group: .sizes,
        summary: "Fit into this box, in points, such as 300x200.",
        manual: "The pixels are rounded up; see --exact.", read: FitBox.init)
    static let aspectRatio = Option<Double>(
        "aspect-ratio", form: .value("RATIO"), expected: AspectRatio.expected, group: .sizes,
        summary: "Ratio of width to height, such as 16:9.",
        manual: "The ratio determines a missing width or height.", read: AspectRatio.read)
    static let scale = Option<Scales>(
        "scale", form: .value("FACTORS"), expected: Scales.expected, group: .sizes,
        summary: "Pixels per point, such as 1,2,3.",
        manual: """
            Applies to --fit and styles. Several factors make several variants, called launch-card, launch-card@2x and \
            so on.
            """, read: Scales.init
    ).defaulting(to: Scales(values: VariantRequest().scales))
    static let exact = Option.flag("exact", .sizes, summary: "Do not round --fit.")
    static let enlarge = Option.flag(
        "enlarge", .sizes, isNegatable: true, summary: "Enlarge small pictures.",
        manual: "By default, only styles enlarge small pictures. --no-enlarge never enlarges them.")
    static let contentMode = Option<ContentMode>.case(
        "content-mode", "MODE", .sizes, summary: "fit, fill (crop), force (stretch) or contain.",
        manual: "fit and contain show the whole picture; contain also fills the space beside it with --background.")
    static let gravity = Option<KeptPart>(
        "gravity", synonyms: ["focus"], form: .value("WHERE"), expected: KeptPart.expected,
        completion: .words(Gravity.allCases.map(\.rawValue)), group: .sizes,
        summary: "Part that fill keeps: center, attention, 40%,30%.",
        manual: """
            The part is center, a side or corner, attention, entropy, or a point such as 40%,30%. attention keeps the \
            most striking part, entropy the part with the most detail. A point is kept as near to the middle as the \
            edges allow. A point overrides the field focus of a record, {"x":0.4,"y":0.3}. That field overrides the \
            words, such as attention.
            """, read: KeptPart.init)
    static let region = Option<Region>(
        "region", form: .value("X,Y,W,H"), expected: "X,Y,WIDTH,HEIGHT in pixels or percent, such as 25%,25%,50%,50%",
        group: .sizes, summary: "Use this part of the picture, in pixels or percent.",
        manual: "It refers to the upright picture.", read: Region.init)
    static let rotate = Option<Int>(
        "rotate", form: .value("DEGREES"), expected: "90, 180 or 270 degrees clockwise",
        completion: .words(["90", "180", "270"]), group: .looks,
        summary: "Rotate clockwise by 90, 180 or 270 degrees.",
        manual: "Sizes and regions refer to the rotated picture."
    ) { ["0": 0, "90": 1, "180": 2, "270": 3, "-90": 3, "-180": 2, "-270": 1][$0] }
    static let frame = Option<Int>(
        "frame", synonyms: ["poster"], form: .value("N"), expected: "the number of a frame from 0 to 1000000",
        group: .looks, summary: "Use only this frame of an animation; the first is 0."
    ) { Int($0).flatMap { (0...1_000_000).contains($0) ? $0 : nil } }

    static let fps = Option.decimal(
        "fps", "N", .looks, in: 0.1...100, expected: "frames a second, from 0.1 to 100",
        summary: "Limit animations to this many frames per second.")

    // MARK: Format and look

    static let format = Option<FormatChoice>(
        "format", form: .value("FORMAT"), choices: { FormatChoice.words }, group: .looks,
        summary: "auto (as the source), jpeg, png, webp, avif, gif.", read: FormatChoice.init
    ).whenUnset("the format of the file name of -o, else auto")
    static let chroma = Option<ChromaChoice>.case(
        "chroma", "HOW", .looks, summary: "auto, 420 (half the colour detail) or 444 (all).",
        manual: "Applies to JPEG, WebP and AVIF. auto keeps all colour detail from --quality 90 on. Below 90, only"
            + " pictures with sharp colours, such as stars, diagrams or lettering, keep it, and JPEGs of more than 4"
            + " megapixels never do. A WebP always has half the colour detail; with 444, the detail is reduced more"
            + " carefully."
    ).defaulting(to: .auto)
    static let gradient = Option<Gradient>.case(
        "gradient", "KIND", .looks, summary: "Darken the bottom: standard, enhanced or none.",
        manual: "enhanced extends to the middle.")
    static let cornerRadius = Option.decimal(
        "corner-radius", "RADIUS", .looks, in: 0...20_000, expected: "a radius from 0 to 20000",
        summary: "Corner radius in points for styles, else in pixels.")
    static let background = Option<Backdrop>(
        "background", form: .value("COLOUR"), expected: "blur, dominant, or a colour such as #1a2b3c", group: .looks,
        summary: "The colour under transparent pixels.",
        manual: """
            Applies to formats without transparency. With --content-mode contain, it also fills the space beside the \
            picture, and can be a colour, blur (the blurred picture) or dominant (the picture's main colour).
            """,
        print: { backdrop in
            switch backdrop {
            case .blur: "blur"
            case .dominant: "dominant"
            case .colour(let colour): colour.hexadecimal
            }
        }
    ) { text in
        switch text {
        case "blur": .blur
        case "dominant": .dominant
        default: RGB(hex: text).map { .colour($0) }
        }
    }.defaulting(to: .colour(EncodeOptions.standardBackground))
    static let fitBytes = Option.size(
        "fit-bytes", .looks, such: "100KB", summary: "Lower the quality until the file fits.")
    static let progressive = Option.flag("progressive", .looks, summary: "Write progressive JPEGs and interlaced PNGs.")
    static let metadata = Option<KeptMetadata>(
        "metadata", synonyms: ["keep-metadata", "keep-profile", "keep-copyright"], form: .value("KINDS"),
        expected: "profile, copyright and exif, with commas between them",
        completion: .list(KeptMetadata.allWords), group: .looks, summary: "Keep profile, copyright or exif.",
        manual: """
            profile keeps the colour profile instead of converting to sRGB, copyright includes the artist, and exif \
            includes XMP and the location. Separate several kinds by commas.
            """, read: KeptMetadata.init)
    static let printHash = Option.flag(
        "print-hash", .looks, summary: "Add the dominant colour and a ThumbHash.",
        manual: "They are added to each variant of the record.")
    static let allowDamaged = Option<Damage>(
        "allow-damaged", synonyms: ["allow-truncated"], form: .optionalValue("KIND", implied: Damage.all.rawValue),
        expected: "truncated or all", completion: .words(Damage.allCases.map(\.rawValue)), group: .looks,
        summary: "Accept damaged pictures, and use the readable part.",
        manual: """
            truncated accepts only truncated pictures. all, the default value, also accepts damaged JPEGs and GIFs. \
            Invalid data is skipped, as in browsers. A warning is printed, and the variant is marked as damaged or \
            truncated.
            """, takesMore: { Damage(rawValue: $0) != nil }, read: Damage.init)

    // MARK: Files

    static let output = Option.path(
        "output", short: "o", .files, summary: "Write a single picture to this file, or - (stdout).")
    static let incremental = Option.flag(
        "incremental", .files, summary: "Write a record as soon as a variant is done.",
        manual: "The first record contains the thumbnail embedded in the picture, if any.")

    // MARK: Placeholders

    static let fallback = Option<FallbackText>(
        "fallback", synonyms: ["fallback-message"], form: .optionalValue("TEXT", implied: ""),
        group: .placeholders, summary: "Draw a placeholder if there is no picture.",
        manual: """
            --fallback=TEXT draws TEXT, in which braces contain fields of the record, as in --name-template. Without a \
            text, or if a field is missing, the placeholder shows why there is no picture.
            """, read: FallbackText.init)
    static let theme = Option<Placeholder.Theme>.case(
        "theme", "THEME", .placeholders, summary: "Colours of placeholders: light or dark."
    ).defaulting(to: .light)
}

/// The value of `--fit`: a size in points.
struct FitBox: Sendable {
    let width: Double
    let height: Double

    /// Reads `300x200`. Returns nil for other texts, and if a side is not from 1 to 20,000.
    init?(_ text: String) {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Double($0) ?? .nan }
        guard sides.count == 2, sides.allSatisfy({ (1...20_000).contains($0) }) else { return nil }
        (width, height) = (sides[0], sides[1])
    }
}

/// The value of `--width`: one or more widths in pixels.
struct Widths: Sendable {
    /// The maximum side of a JPEG is 65535 pixels.
    static let range = 1...65_535
    static let expected = "pixels from 1 to 65535, or several such as 320,640,1280"
    let values: [Int]

    /// Reads `320` or `320,640`. Returns nil if a width is out of range, or if two widths are equal, because widths
    /// become names of variants.
    init?(_ text: String) {
        values = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        guard values.allSatisfy(Self.range.contains), Set(values).count == values.count else { return nil }
    }
}

/// The value of `--scale`: one or more factors in pixels per point.
struct Scales: Sendable, Equatable {
    static let expected = "pixels for each point, from 1 to 3, or several such as 1,2,3"
    let values: [Double]
}

extension Scales: CustomStringConvertible {
    /// Reads `2`, `1.5` or `1,2,3`. Returns nil for other texts. If there are several factors, they must be distinct
    /// integers, because they become parts of names.
    init?(_ text: String) {
        let factors = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) ?? .nan }
        guard factors.allSatisfy({ (1...3).contains($0) }) else { return nil }
        if factors.count > 1 {
            guard Set(factors).count == factors.count, factors.allSatisfy({ $0 == $0.rounded() }) else { return nil }
        }
        values = factors
    }

    var description: String { values.map { Int(exactly: $0).map { "\($0)" } ?? "\($0)" }.joined(separator: ",") }
}

/// The value of `--metadata`: the kinds of metadata to keep.
struct KeptMetadata: Sendable {
    static let allWords = ["profile", "copyright", "exif"]
    let words: Set<String>

    /// Reads words such as `exif` or `profile,copyright`. Returns nil if a word is unknown.
    init?(_ text: String) {
        words = Set(text.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        guard words.isSubset(of: Self.allWords) else { return nil }
    }
}

/// The value of `--allow-damaged`: the kinds of damaged pictures to accept.
enum Damage: String, CaseIterable, Sendable {
    case truncated, all
}

/// The value of `--fallback`: the text to draw, or nil if the value is empty.
struct FallbackText: Sendable {
    let message: Template?

    /// Throws if a field in the text is invalid.
    init(_ text: String) throws { message = text.isEmpty ? nil : try Template(text) }
}

/// The value of `--gravity`: the part of the picture that cropping keeps.
enum KeptPart: Sendable {
    static let expected = "center, a side, a corner, attention, entropy, or a point such as 40%,30% or 0.4,0.3"
    case at(Gravity)
    case around(Focus)

    /// Returns nil for an unknown word, and for a point outside the picture.
    init?(_ text: String) {
        guard let part = Gravity(rawValue: text).map(Self.at) ?? Focus(text).map(Self.around) else { return nil }
        self = part
    }
}

/// The value of `--format`: a fixed format, or the format of the source.
enum FormatChoice: Sendable, Equatable {
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
        .variant, .width, .height, .fit, .aspectRatio, .scale, .exact, .enlarge, .contentMode, .gravity, .region,
    ]

    static let looks: [AnyOption] = [
        .format, .quality, .effort, .chroma, .fitBytes, .progressive, .gradient, .cornerRadius, .background, .rotate,
        .linear, .metadata, .frame, .fps, .printHash, .decoder, .allowDamaged,
    ]

    static let files: [AnyOption] = [.output, .outputDir, .nameTemplate, .sync, .allowPath, .incremental]

    static let placeholders: [AnyOption] = [.fallback, .fallbackIcon, .theme, .font]

    static let limits: [AnyOption] = [.maxBytes, .maxPixels, .maxFrames, .maxAnimationPixels, .maxMemory, .maxSeconds]
}
