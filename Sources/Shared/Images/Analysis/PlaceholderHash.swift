import Formats
import Support

/// A preview to show until a picture is loaded.
public struct PlaceholderHash: Sendable, Hashable {
    /// The dominant colour, `#rrggbb`; `#000000` if the picture is fully transparent.
    public let dominantColour: String
    /// A blurred preview with the picture's aspect ratio: the bytes of a ThumbHash
    /// (https://evanw.github.io/thumbhash/) in Base64 (RFC 4648 §4).
    public let thumbHash: String

    /// Computes the colour and the preview of a picture. O(pixels).
    public init(_ picture: PixelBuffer) {
        var hasher = PlaceholderHasher(size: picture.size)
        picture.bytes.withUnsafeBufferPointer { bytes in
            for y in 0..<picture.size.height {
                hasher.add(bytes.baseAddress! + y * picture.size.width * picture.channels, channels: picture.channels)
            }
        }
        self = hasher.finish()
    }

    init(small: PixelBuffer) {
        dominantColour = DominantColour.of(small).hexadecimal
        thumbHash = Base64.encoded(ThumbHash.bytes(small))
    }
}

/// Computes a `PlaceholderHash` row by row.
///
/// Averages the picture to at most 100x100 pixels, weighted by alpha. Needs at most 320 KB, and a few additions per
/// sample.
struct PlaceholderHasher {
    private let size: PixelSize
    private let small: PixelSize
    /// For each averaged pixel, the sums of red, green and blue times alpha, and of alpha.
    private var sums: [Int]
    private var row = 0

    init(size: PixelSize) {
        self.size = size
        let longer = max(size.width, size.height)
        func scaled(_ side: Int) -> Int {
            longer <= ThumbHash.maxSide ? side : max((side * ThumbHash.maxSide + longer / 2) / longer, 1)
        }
        small = PixelSize(width: scaled(size.width), height: scaled(size.height))
        sums = [Int](repeating: 0, count: small.width * small.height * 4)
    }

    /// Adds the next row from the top. Channels are 1 gray, 2 gray and alpha, 3 RGB, or 4 RGB and alpha.
    mutating func add(_ samples: UnsafePointer<UInt8>, channels: Int) {
        precondition(row < size.height)
        let (width, boxes) = (size.width, small.width)
        let first = row * small.height / size.height * boxes
        let isGray = channels < 3
        let hasAlpha = channels == 2 || channels == 4
        sums.withUnsafeMutableBufferPointer { sums in
            var pixel = samples
            for box in 0..<boxes {
                var (red, green, blue, alpha) = (0, 0, 0, 0)
                for _ in edge(box, boxes, width)..<edge(box + 1, boxes, width) {
                    let opacity = hasAlpha ? Int(pixel[channels - 1]) : 255
                    red &+= opacity &* Int(pixel[0])
                    if !isGray {
                        green &+= opacity &* Int(pixel[1])
                        blue &+= opacity &* Int(pixel[2])
                    }
                    alpha &+= opacity
                    pixel += channels
                }
                let sum = (first + box) * 4
                sums[sum] &+= red
                sums[sum + 1] &+= isGray ? red : green
                sums[sum + 2] &+= isGray ? red : blue
                sums[sum + 3] &+= alpha
            }
        }
        row += 1
    }

    /// Computes the hash. Call it after the last row.
    func finish() -> PlaceholderHash {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(sums.count)
        for y in 0..<small.height {
            let rows = edge(y + 1, small.height, size.height) - edge(y, small.height, size.height)
            for x in 0..<small.width {
                let sum = (y * small.width + x) * 4
                let alpha = sums[sum + 3]
                for c in 0..<3 { bytes.append(alpha == 0 ? 0 : UInt8((sums[sum + c] + alpha / 2) / alpha)) }
                let pixels = rows * (edge(x + 1, small.width, size.width) - edge(x, small.width, size.width))
                bytes.append(UInt8((alpha + pixels / 2) / pixels))
            }
        }
        return PlaceholderHash(small: PixelBuffer(size: small, channels: 4, bytes: bytes))
    }
}

/// Returns the index of the first of `count` pixels that belong to the averaged pixel `box`: the least i with i * boxes
/// / count == box.
private func edge(_ box: Int, _ boxes: Int, _ count: Int) -> Int { (box * count + boxes - 1) / boxes }
