import Formats
import Testing

@testable import Images

@Suite struct RoundedCornersTests {
    /// Returns the coverage of a pixel, counted on a grid of 64x64 points.
    private func counted(_ corners: RoundedCorners, _ x: Int, _ y: Int) -> Double {
        let (width, height, radius) = (Double(corners.size.width), Double(corners.size.height), corners.radius)
        var inside = 0
        for j in 0..<64 {
            for i in 0..<64 {
                let u = Double(x) + (Double(i) + 0.5) / 64
                let v = Double(y) + (Double(j) + 0.5) / 64
                let dx = max(radius - u, u - (width - radius), 0)
                let dy = max(radius - v, v - (height - radius), 0)
                if dx * dx + dy * dy <= radius * radius { inside += 1 }
            }
        }
        return Double(inside) / 4096 * 255
    }

    @Test(arguments: [(20, 14, 5.0), (20, 14, 6.3), (9, 9, 99), (7, 30, 3.5), (1, 1, 4), (2, 5, 1), (30, 30, 0.4)])
    func coverageIsTheAreaInsideTheOutline(width: Int, height: Int, radius: Double) {
        let corners = RoundedCorners(radius: radius, size: PixelSize(width: width, height: height))
        for y in 0..<height {
            for x in 0..<width {
                let coverage = corners.coverage(x: x, y: y)
                #expect(abs(Double(coverage) - counted(corners, x, y)) < 2, "\(x), \(y)")
                #expect(coverage == corners.coverage(x: width - 1 - x, y: y))
                #expect(coverage == corners.coverage(x: x, y: height - 1 - y))
            }
        }
    }

    @Test func totalCoverageIsTheAreaOfTheOutline() {
        let corners = RoundedCorners(radius: 40, size: PixelSize(width: 200, height: 100))
        var sum = 0.0
        for y in 0..<100 { for x in 0..<200 { sum += Double(corners.coverage(x: x, y: y)) / 255 } }
        #expect(abs(sum - (20_000 - (4 - Double.pi) * 1600)) < 0.5)
    }

    @Test func radiusIsClampedToHalfTheShorterSide() {
        let size = PixelSize(width: 40, height: 21)
        #expect(RoundedCorners(radius: 1e9, size: size).radius == 10.5)
        #expect(RoundedCorners(radius: .infinity, size: size).radius == 10.5)
        for radius in [0, -3, .nan] {
            let corners = RoundedCorners(radius: radius, size: size)
            #expect(corners.radius == 0 && corners.coverage(x: 0, y: 0) == 255 && !corners.touches(row: 0))
        }
    }

    @Test(arguments: [2, 4]) func alphaIsMultipliedByTheCoverage(channels: Int) {
        for (width, height, radius) in [(33, 20, 7.7), (5, 9, 9), (1, 1, 1), (2, 2, 1), (64, 64, 32)] {
            let size = PixelSize(width: width, height: height)
            let corners = RoundedCorners(radius: radius, size: size)
            let picture = PixelBuffer(size: size, filledWith: [UInt8](repeating: 200, count: channels))
            let output = picture.mappingRows { corners.apply(row: $1, to: $0, channels: channels) }
            for y in 0..<height {
                for x in 0..<width {
                    let exact = 200 * Double(corners.coverage(x: x, y: y)) / 255
                    #expect(abs(Double(output.sample(x, y, channels - 1)) - exact) <= 0.5)
                    #expect(output.sample(x, y, 0) == (channels == 4 || channels == 2 ? 200 : 0))
                }
            }
        }
    }
}
