import Formats
import Images
import Support
import TestSupport
import Testing

@testable import Variants

/// Names and sizes of variants, and how they are encoded.
struct VariantTests {
    // MARK: Lists

    @Test func aListMayHaveCommasAndBeRepeated() throws {
        #expect(try Variant.list([]) == [])
        #expect(try Variant.list(["pager"]) == [.pager])
        #expect(try Variant.list(["overlay,pager"]) == [.overlay, .pager])
        #expect(try Variant.list(["overlay", "pager,overlay"]) == [.overlay, .pager])
    }

    @Test(arguments: ["pagr", "Pager", "overlays", "", "pager,", ",", "pager,,overlay", "custom", " pager"])
    func whatIsNoVariantIsRefused(_ text: String) {
        let said = message { _ = try Variant.list([text]) }
        #expect(said?.hasPrefix("64 there is no variant \"") == true, "\(said ?? "taken")")
        #expect(said?.contains("pager, overlay") == true)
    }

    @Test func aNearMatchIsNamed() {
        #expect(message { _ = try Variant.list(["pagr"]) }?.contains("did you mean pager?") == true)
        #expect(message { _ = try Variant.list(["overlai"]) }?.contains("did you mean overlay?") == true)
        #expect(message { _ = try Variant.list(["thumbnail"]) }?.contains("did you mean") == false)
    }

    @Test func sizesFitWithoutGrowing() {
        func size(_ variant: Variant, _ width: Int, _ height: Int) -> PixelSize {
            variant.box.size(for: PixelSize(width: width, height: height))
        }
        #expect(size(.pager, 4096, 2048) == PixelSize(width: 1024, height: 512))
        #expect(size(.overlay, 1000, 8000) == PixelSize(width: 256, height: 2048))
        #expect(size(.pager, 1024, 1024) == PixelSize(width: 1024, height: 1024))
        #expect(size(.overlay, 30, 20) == PixelSize(width: 30, height: 20))
        #expect(size(.custom(width: 10, height: nil), 100, 1) == PixelSize(width: 10, height: 1))
        #expect(size(.custom(width: nil, height: 50), 200, 100) == PixelSize(width: 100, height: 50))
        #expect(size(.custom(width: nil, height: nil), 7, 9) == PixelSize(width: 7, height: 9))
    }

    // MARK: Encoding

    @Test func theSourceDecidesTheFormatUnlessOneIsNamed() {
        let auto = Rendition()
        #expect(auto.format(for: .jpeg) == .jpeg && auto.format(for: .png) == .png)
        #expect(auto.format(for: .gif) == .gif && auto.format(for: .webp) == .webp)
        for format in OutputFormat.allCases {
            for source in [ImageFormat.jpeg, .png, .gif, .webp] {
                #expect(Rendition(format: format).format(for: source) == format)
                #expect(
                    Rendition(format: format, quality: 7).encoding(for: source)
                        == EncodeOptions(format: format, quality: 7))
            }
        }
    }

    @Test func everyOptionThatChangesTheBytesIsInTheKey() {
        let variants: [Variant] = [
            .pager, .overlay, .custom(width: 10, height: nil), .custom(width: nil, height: 10),
            .custom(width: 10, height: 10),
        ]
        var keys: [String] = []
        for variant in variants {
            for format in [nil] + OutputFormat.allCases.map(Optional.some) {
                for quality in [1, 82, 100] { keys.append(Rendition(format: format, quality: quality).key(variant)) }
            }
        }
        #expect(Set(keys).count == keys.count)
        // The name is no such option: the same size is the same file.
        let byHand = Variant.custom(width: 1024, height: 1024)
        #expect(Rendition().key(byHand) == Rendition().key(.pager))
    }
}
