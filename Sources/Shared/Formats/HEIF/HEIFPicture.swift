/// The description of a picture in an AVIF or HEIC: coded pictures, their composition, and the crop and rotation of the
/// result.
public struct HEIFPicture: Sendable, Hashable {
    /// A coded picture: a whole picture, a tile, or the alpha of either.
    public struct Coded: Sendable, Hashable {
        public enum Codec: Sendable { case av1, hevc }

        public let codec: Codec
        public let size: PixelSize
        /// The ranges of the file that contain the data, in order.
        public let data: [Range<Int>]
        /// The box with the decoder configuration (`av1C` or `hvcC`).
        public let configuration: Range<Int>
        public let isMonochrome: Bool
        /// Whether samples have more than 8 bits.
        public let isWide: Bool
        /// Whether chroma is halved across and down (4:2:0).
        public let isSubsampled: Bool
        /// The `colr` box with ITU-T H.273 code points, or nil.
        public let signal: Range<Int>?
        /// The spatial layer to show, or nil for the highest layer.
        public let layer: Int?
        /// The index of an operating point of AV1.
        public let operatingPoint: Int

        public var dataBytes: Int { data.reduce(0) { $0 + $1.count } }
    }

    /// Tiles of equal size, row by row. The last column and row may extend beyond the picture. A picture without tiles
    /// has a single tile.
    public struct Tiling: Sendable, Hashable {
        public let size: PixelSize
        public let columns: Int
        public let tiles: [Coded]

        public var tileSize: PixelSize { tiles[0].size }
    }

    public struct Layer: Sendable, Hashable {
        public let picture: HEIFPicture
        public let x: Int
        public let y: Int
    }

    public indirect enum Content: Sendable, Hashable {
        /// Alpha of another size is scaled to the size of the picture.
        case tiles(Tiling, alpha: Tiling?)
        /// Layers from bottom to top. The background is red, green, blue and alpha, 16 bits each.
        case layers([Layer], canvas: PixelSize, background: [UInt16])
    }

    public let content: Content
    public internal(set) var placement: HEIFPlacement
    /// Whether colours are premultiplied by alpha.
    public let isPremultiplied: Bool
    /// The range of the file that contains the ICC profile.
    public let profile: Range<Int>?
    /// Code points of ITU-T H.273; 2 (unspecified) if the file has none.
    public let primaries: Int
    public let transfer: Int

    /// The size of the visible part, before rotation.
    public var size: PixelSize { placement.size }

    public var hasAlpha: Bool {
        switch content {
        case .tiles(_, let alpha): alpha != nil
        case .layers(_, _, let background): background[3] < .max
        }
    }
}

/// The visible part of a picture and its orientation: the properties `clap`, `irot` and `imir`, applied in order
/// (ISO/IEC 23008-12 §6.5).
public struct HEIFPlacement: Sendable, Hashable {
    /// The upper left corner of the visible part.
    public private(set) var x = 0
    public private(set) var y = 0
    /// The size of the visible part before rotation.
    public private(set) var size: PixelSize
    public private(set) var orientation = Orientation.upright

    public init(_ size: PixelSize) { self.size = size }

    public var uprightSize: PixelSize { orientation.swapsAxes ? size.swapped : size }

    mutating func rotate(counterclockwiseQuarters quarters: Int) {
        orientation = orientation.rotated(clockwiseQuarters: -quarters)
    }

    /// Mirrors left and right, or top and bottom.
    mutating func mirror(topAndBottom: Bool) {
        orientation = orientation.mirroredSideways.rotated(clockwiseQuarters: topAndBottom ? 2 : 0)
    }

    /// Crops the visible part further. Returns false if the crop extends beyond it.
    mutating func crop(_ crop: HEIFCrop) -> Bool {
        let shown = uprightSize
        // All numbers are below 2^32, so a Double represents their sums exactly.
        let left = ((Double(shown.width) - crop.width) / 2 + crop.right).rounded(.down)
        let top = ((Double(shown.height) - crop.height) / 2 + crop.down).rounded(.down)
        let (width, height) = (crop.width.rounded(), crop.height.rounded())
        guard left >= 0, top >= 0, width >= 1, height >= 1, left + width <= Double(shown.width),
            top + height <= Double(shown.height)
        else { return false }
        let part = (
            x: Int(orientation.swapsAxes ? top : left), y: Int(orientation.swapsAxes ? left : top),
            width: Int(orientation.swapsAxes ? height : width), height: Int(orientation.swapsAxes ? width : height)
        )
        let isFromRight = [.mirrored, .rotated180, .transversed, .rotated90CounterClockwise].contains(orientation)
        let isFromBottom = [.rotated180, .flipped, .rotated90Clockwise, .transversed].contains(orientation)
        x += isFromRight ? size.width - part.x - part.width : part.x
        y += isFromBottom ? size.height - part.y - part.height : part.y
        size = PixelSize(width: part.width, height: part.height)
        return true
    }
}

/// The property `clap`: a size, and the offset of its centre from the centre of the picture.
struct HEIFCrop: Sendable, Hashable {
    let width: Double
    let height: Double
    let right: Double
    let down: Double
}
