import Formats
import Images
import Support
import TestSupport
import Testing

@testable import Variants

extension Variant {
    static func custom(width: Int?, height: Int?) -> Variant {
        Variant(name: "custom", geometry: Geometry(width: width, height: height))
    }
}

extension EncodeSettings {
    init(format: OutputFormat? = nil, quality: Int = 82) { self.init(format: format, quality: quality, effort: 3) }
}

/// The names, sizes, formats and keys of variants.
struct VariantTests {
    private func named(_ texts: [String], _ change: (inout VariantRequest) -> Void = { _ in }) throws -> [Variant] {
        var request = VariantRequest()
        request.names = texts
        change(&request)
        return try request.variants(styles: Style.builtIn)
    }

    private func single(_ change: (inout VariantRequest) -> Void) throws -> Variant {
        let variants = try named([], change)
        #expect(variants.count == 1)
        return try #require(variants.first)
    }

    // MARK: Lists

    @Test func variantListsMayHaveCommasAndBeRepeated() throws {
        #expect(try named([]) == [])
        #expect(try named(["pager"]) == [.pager])
        #expect(try named(["overlay,pager"]) == [.overlay, .pager])
        #expect(try named(["overlay", "pager,overlay"]) == [.overlay, .pager])
        #expect(try named(["rocket-card,pager"]).map(\.name) == ["rocket-card", "pager"])
    }

    @Test(arguments: ["pagr", "Pager", "overlays", "", "pager,", ",", "pager,,overlay", " pager", "fit"])
    func unknownVariantsAreRefused(_ text: String) {
        let said = message { _ = try named([text]) }
        #expect(said?.hasPrefix("64 unknown variant \"") == true, "\(said ?? "taken")")
        #expect(said?.contains("pager, overlay, launch-card") == true)
    }

    @Test func unknownVariantSuggestsASimilarName() {
        #expect(message { _ = try named(["pagr"]) }?.contains("did you mean pager?") == true)
        #expect(message { _ = try named(["rocketcard"]) }?.contains("did you mean rocket-card?") == true)
        #expect(message { _ = try named(["thumbnail"]) }?.contains("did you mean") == false)
    }

    // MARK: Buckets

    @Test func sizesAreRoundedUpToTheNextBucket() {
        for (side, bucket) in [
            (1, 128), (128, 128), (129, 192), (600, 768), (1024, 1024), (1025, 1536), (4096, 4096), (4097, nil),
        ] {
            #expect(Bucket.covering(side) == bucket)
        }
        #expect(Bucket.ladder == Bucket.ladder.sorted())
    }

    @Test func fitUsesTheSmallestBucketThatCoversItsBox() throws {
        let twice = try single { $0.fit = (300, 200) }
        #expect(twice.name == "fit" && twice.geometry == Geometry(width: 768, height: 768))
        let once = try single { ($0.fit, $0.scales) = ((300, 200), [1]) }
        #expect(once.geometry == Geometry(width: 384, height: 384))
        let near = try single { ($0.fit, $0.scales) = ((310, 200), [1]) }
        #expect(near.geometry == once.geometry)
    }

    @Test func exactBoxesAndBoxesAboveTheLargestBucketAreNotRounded() throws {
        #expect(try single { ($0.fit, $0.isExact) = ((300, 200), true) }.geometry == Geometry(width: 600, height: 400))
        #expect(try single { $0.fit = (3000, 200) }.geometry == Geometry(width: 6000, height: 400))
    }

    @Test func croppedFitKeepsItsAspectRatio() throws {
        let variant = try single { ($0.fit, $0.contentMode) = ((300, 200), .fill) }
        #expect(variant.geometry == Geometry(width: 768, height: 512, mode: .fill))
    }

    @Test func severalWidthsMakeVariantsNamedLikeSrcsetDescriptors() throws {
        let made = try named(["pager"]) {
            $0.widths = [640, 320]
            $0.aspectRatio = 2
        }
        #expect(made.map(\.name) == ["pager", "640w", "320w"])
        #expect(made.dropFirst().map(\.geometry.box.width) == [640, 320])
        #expect(throws: UsageFailure.self) { try named(["launch-card"]) { $0.widths = [640, 320] } }
    }

    @Test func sidesWithoutAStyleArePixelsAndNotRounded() throws {
        #expect(try single { $0.widths = [800] } == .custom(width: 800, height: nil))
        #expect(try single { ($0.widths, $0.height) = ([801], 13) } == .custom(width: 801, height: 13))
        #expect(try single { $0.aspectRatio = 1 }.geometry == Geometry(aspectRatio: 1, mode: .fill))
    }

    // MARK: Styles

    @Test func styleSizesAreMultipliedByTheScale() throws {
        let card = try #require(try named(["launch-card"]).first)
        #expect(card.geometry == Geometry(width: 800, height: 400, mode: .fill, enlarges: true))
        #expect(card.gradient == .standard && card.cornerRadius == 32)
        let detail = try #require(try named(["detail-view"]) { $0.scales = [3] }.first)
        #expect(detail.geometry == Geometry(width: 1200, height: 900, mode: .fill, enlarges: true))
        #expect(detail.gradient == .enhanced)
        let rocket = try #require(try named(["rocket-card"]) { $0.scales = [1] }.first)
        #expect(rocket.geometry == Geometry(width: 160, height: 200, mode: .fill, enlarges: true))
        let preference = try #require(try named(["preference-view"]).first)
        #expect(preference.geometry == Geometry(height: 240, mode: .fit, enlarges: true))
    }

    @Test func onlyStylesEnlargeSmallPicturesByDefault() throws {
        #expect(try named(["launch-card"]) { $0.enlarges = false }.first?.geometry.enlarges == false)
        #expect(try named(["pager"]).first?.geometry.enlarges == false)
        #expect(try single { $0.widths = [80] }.geometry.enlarges == false)
    }

    @Test func severalScalesHaveDistinctNames() throws {
        let cards = try named(["launch-card,pager"]) { ($0.scales, $0.fit) = ([1, 2, 3], (90, 60)) }
        #expect(
            cards.map(\.name) == [
                "launch-card", "launch-card@2x", "launch-card@3x", "pager", "fit", "fit@2x", "fit@3x",
            ])
        #expect(cards.map(\.geometry.width) == [400, 800, 1200, 1024, 128, 192, 384])
        #expect(cards[..<3].map(\.cornerRadius) == [16, 32, 48])
        #expect(try named(["launch-card"]) { $0.scales = [3] }.map(\.name) == ["launch-card"])
    }

    @Test func requestedSidesReplaceTheSidesOfEveryNamedStyle() throws {
        let cards = try named(["launch-card,rocket-card"]) { $0.widths = [320] }
        #expect(cards.map(\.name) == ["launch-card", "rocket-card"])
        #expect(cards.map(\.geometry.width) == [640, 640] && cards.map(\.geometry.height) == [400, 400])
        // Without a style, the sides make a separate variant.
        #expect(try named(["pager"]) { $0.widths = [320] }.map(\.name) == ["pager", "custom"])
    }

    @Test func cardStyleTakesItsSizeFromTheOptions() throws {
        let card = try named(["card"]) { ($0.widths, $0.aspectRatio) = ([200], 2) }
        #expect(card.count == 1)
        #expect(card.first?.geometry == Geometry(width: 400, aspectRatio: 2, mode: .fill, enlarges: true))
        #expect(card.first?.gradient == .standard)
        #expect(message { _ = try named(["card"]) }?.hasPrefix("64 --variant card requires --width") == true)
    }

    @Test func optionsOverrideTheVariantsValues() throws {
        let card = try #require(
            try named(["launch-card"]) {
                $0.contentMode = .fit
                $0.gravity = .north
                $0.gradient = Gradient.none
                $0.cornerRadius = 5
                $0.enlarges = true
                $0.quarterTurns = 1
            }.first)
        #expect(
            card.geometry
                == Geometry(width: 800, height: 400, mode: .fit, gravity: .north, enlarges: true, quarterTurns: 1))
        #expect(card.gradient == Gradient.none && card.cornerRadius == 10)
        #expect(try named(["pager"]) { $0.cornerRadius = 5 }.first?.cornerRadius == 5)
    }

    // MARK: Encoding

    @Test func variantsKeepTheSourceFormatUnlessAnotherIsRequested() {
        let auto = EncodeSettings()
        #expect(auto.format(for: .jpeg) == .jpeg && auto.format(for: .png) == .png)
        #expect(auto.format(for: .gif) == .gif && auto.format(for: .webp) == .webp)
        for format in OutputFormat.allCases {
            for source in [ImageFormat.jpeg, .png, .gif, .webp] {
                #expect(EncodeSettings(format: format).format(for: source) == format)
                #expect(
                    EncodeSettings(format: format, quality: 7).encoding(
                        EncodeSettings(format: format).format(for: source))
                        == EncodeOptions(format: format, quality: 7, effort: 3))
            }
        }
    }

    @Test func animatedPNGBecomesWebPUnlessAFrameIsRequested() {
        var auto = EncodeSettings()
        #expect(auto.format(for: .png, isAnimated: true) == .webp && auto.format(for: .gif, isAnimated: true) == .gif)
        auto.frame = 0
        #expect(auto.format(for: .png, isAnimated: true) == .png)
        #expect(EncodeSettings(format: .png).format(for: .png, isAnimated: true) == .png)
    }

    @Test func settingsForPagesAvoidOnlyPNG() {
        var settings = EncodeSettings()
        settings.avoidsPNG = true
        #expect(settings.format(for: .png) == .webp && settings.format(for: .jpeg) == .jpeg)
        #expect(settings.key(.pager) != EncodeSettings().key(.pager))
        settings.format = .png
        #expect(settings.format(for: .png) == .png)
    }

    @Test func readOnlyFormatsBecomeWebPIfTheyHaveAlphaOrElseJPEG() {
        let auto = EncodeSettings()
        for source in [ImageFormat.tiff, .heic, .jpegXL] {
            #expect(auto.format(for: source) == .jpeg && auto.format(for: source, hasAlpha: true) == .webp)
        }
        #expect(auto.format(for: .avif) == .avif)
    }

    @Test func transparencyTurnsJPEGIntoWebP() {
        let auto = EncodeSettings()
        #expect(auto.format(for: .jpeg, hasAlpha: true) == .webp)
        #expect(auto.format(for: .png, hasAlpha: true) == .png && auto.format(for: .gif, hasAlpha: true) == .gif)
        #expect(EncodeSettings(format: .jpeg).format(for: .jpeg, hasAlpha: true) == .jpeg)
    }

    @Test func everyOptionThatChangesTheBytesIsInTheKey() throws {
        let base = Variant.custom(width: 10, height: 20)
        func changed(_ change: (inout Variant) -> Void) -> Variant {
            var variant = base
            change(&variant)
            return variant
        }
        let variants: [Variant] = [
            base, .pager, .overlay, .custom(width: 10, height: nil), .custom(width: nil, height: 10),
            changed { $0.geometry.aspectRatio = 2 }, changed { $0.geometry.mode = .fill },
            changed { $0.geometry.gravity = .east },
            changed { $0.geometry.focus = Focus(x: 0.5, y: 0) }, changed { $0.geometry.focus = Focus(x: 0, y: 0.5) },
            changed { $0.geometry.enlarges = true },
            changed { $0.geometry.region = Region("0,0,5,5") }, changed { $0.geometry.region = Region("0,0,5%,5") },
            changed { $0.geometry.quarterTurns = 1 }, changed { $0.gradient = .standard },
            changed { $0.gradient = .enhanced }, changed { $0.cornerRadius = 1.5 },
        ]
        var settings: [EncodeSettings] = []
        for format in [nil] + OutputFormat.allCases.map(Optional.some) {
            for quality in [1, 82, 100] { settings.append(EncodeSettings(format: format, quality: quality)) }
        }
        func add(_ change: (inout EncodeSettings) -> Void) {
            var encodeSettings = EncodeSettings()
            change(&encodeSettings)
            settings.append(encodeSettings)
        }
        add { $0.background = RGB(red: 0, green: 0, blue: 1) }
        add { $0.effort = 0 }
        add { $0.effort = 9 }
        add { $0.isProgressive = true }
        add { $0.isLinear = true }
        add { $0.keepsProfile = true }
        add { $0.metadata = .copyright }
        add { $0.metadata = .kept }
        add { $0.wantsHash = true }
        add { $0.byteLimit = 1000 }
        add { $0.frame = 0 }
        add { $0.frame = 1 }
        add { $0.framesPerSecond = 10 }
        add { $0.backdrop = .blur }
        add { $0.backdrop = .dominant }
        let keys = settings.flatMap { encodeSettings in variants.map(encodeSettings.key) }
        #expect(Set(keys).count == keys.count)
        // The name is not part of the key, so variants of the same size share a file.
        #expect(EncodeSettings().key(.custom(width: 1024, height: 1024)) == EncodeSettings().key(.pager))
        var first = EncodeSettings()
        first.frame = 0
        #expect(EncodeSettings().key(changed { $0.frame = 0 }) == first.key(base))
    }

    @Test func everyDecodeOptionIsInTheKey() {
        let keys = [false, true].flatMap { allowsTruncated in
            DecodeOptions.Quality.allCases.map { quality in
                VariantMaker(
                    encodeSettings: EncodeSettings(),
                    options: DecodeOptions(allowsTruncated: allowsTruncated, quality: quality)
                ).key(.pager)
            }
        }
        #expect(Set(keys).count == 6)
        let passesDamage = VariantMaker(encodeSettings: EncodeSettings(), options: DecodeOptions(allowsDamage: true))
            .key(.pager)
        #expect(!keys.contains(passesDamage))
        let byLibjpeg = VariantMaker(encodeSettings: EncodeSettings(), options: DecodeOptions(decoder: .libjpeg)).key(
            .pager)
        #expect(!keys.contains(byLibjpeg))
        // The key begins with the key of the settings.
        #expect(keys.allSatisfy { $0.hasPrefix(EncodeSettings().key(.pager)) })
    }
}
