import Formats
import Testing

@testable import Placeholders

@Suite struct CompositionTests {
    private static let sides = [1, 2, 3, 7, 15, 16, 17, 24, 40, 59, 60, 96, 120, 200, 320, 400, 800, 1365, 2048, 8192]
    private static let sizes = sides.flatMap { width in sides.map { PixelSize(width: width, height: $0) } }

    @Test func iconAndTextStayInsideThePictureWithoutOverlap() {
        for size in Self.sizes {
            let bounds = PixelRect(x: 0, y: 0, width: size.width, height: size.height)
            for scale in [0.25, 1, 2, 16, .nan, .infinity] {
                let composition = Composition(size: size, hasMessage: true, scale: scale)
                guard let space = composition.text else { continue }
                for text in [
                    PixelSize(width: space.width, height: space.height), PixelSize(width: 1, height: space.height),
                    PixelSize(width: space.width, height: 1),
                ] {
                    let (icon, words) = composition.placed(text: text)
                    guard let icon, let words else {
                        Issue.record("\(size) has no icon or no text")
                        continue
                    }
                    #expect(bounds.contains(icon) && bounds.contains(words), "\(size)")
                    let common = icon.intersection(words)
                    #expect(common.width == 0 || common.height == 0, "\(size)")
                }
            }
        }
    }

    @Test func iconWithoutTextIsCentred() {
        for size in Self.sizes {
            let composition = Composition(size: size, hasMessage: false, scale: 1)
            let bounds = PixelRect(x: 0, y: 0, width: size.width, height: size.height)
            #expect(composition.text == nil)
            guard let icon = composition.placed(text: nil).icon else {
                #expect(min(size.width, size.height) < 16)
                continue
            }
            #expect(bounds.contains(icon))
            #expect(abs(icon.x - (size.width - icon.maxX)) <= 1)
            #expect(abs(icon.y - (size.height - icon.maxY)) <= 1)
        }
    }

    @Test func smallPicturesHaveNoTextAndTinyPicturesNoIcon() {
        func parts(_ side: Int) -> (hasIcon: Bool, hasText: Bool) {
            let composition = Composition(size: PixelSize(width: side, height: side), hasMessage: true, scale: 1)
            return (composition.iconSide > 0, composition.text != nil)
        }
        #expect(parts(1) == (false, false))
        #expect(parts(8) == (false, false))
        #expect(parts(16) == (true, false))
        #expect(parts(40) == (true, false))
        #expect(parts(120) == (true, true))
    }

    @Test func bannersHaveTheIconBesideTheText() {
        func arrangement(_ width: Int, _ height: Int) -> Composition.Arrangement {
            Composition(size: PixelSize(width: width, height: height), hasMessage: true, scale: 1).arrangement
        }
        #expect(arrangement(800, 60) == .beside)
        #expect(arrangement(728, 90) == .beside)
        #expect(arrangement(800, 400) == .above)
        #expect(arrangement(320, 400) == .above)
    }

    @Test func smallestFontSizeIsMultipliedByTheScale() throws {
        let size = PixelSize(width: 400, height: 300)
        let once = try #require(Composition(size: size, hasMessage: true, scale: 1).text)
        let twice = try #require(Composition(size: size, hasMessage: true, scale: 2).text)
        #expect(once.sizes.lowerBound == 11)
        #expect(twice.sizes.lowerBound == 22)
    }
}
