/// A picture of an AVIF or HEIC, as its items describe it: coded pixels, how they are put together, and how the result
/// is cropped and turned.
public struct HEIFPicture: Sendable, Hashable {
    /// Pixels that an encoder has made: a picture, a tile, or their alpha.
    public struct Coded: Sendable, Hashable {
        public enum Codec: Sendable { case av1, hevc }

        public let codec: Codec
        public let size: PixelSize
        /// The places of its bytes in the file, in order.
        public let data: [Range<Int>]
        /// The box with the decoder's configuration (`av1C` or `hvcC`).
        public let configuration: Range<Int>
        public let isMonochrome: Bool
        /// Whether samples have more than 8 bits.
        public let isWide: Bool
        /// Whether chroma is halved across and down (4:2:0).
        public let isSubsampled: Bool
        /// The `colr` box with numbers of ITU-T H.273, if there is one.
        public let signal: Range<Int>?
        /// Whether it is one of several layers or operating points.
        public let hasLayers: Bool

        public var dataBytes: Int { data.reduce(0) { $0 + $1.count } }
    }

    /// Tiles of equal size, row by row. The last column and row may reach beyond the picture. A picture without tiles
    /// is a single tile.
    public struct Tiling: Sendable, Hashable {
        public let size: PixelSize
        public let columns: Int
        public let tiles: [Coded]

        public var tileSize: PixelSize { tiles[0].size }
    }

    /// A picture on a canvas.
    public struct Layer: Sendable, Hashable {
        public let picture: HEIFPicture
        public let x: Int
        public let y: Int
    }

    public indirect enum Content: Sendable, Hashable {
        /// Alpha may have another size, and lies over the whole picture then.
        case tiles(Tiling, alpha: Tiling?)
        /// From the lowest; the background has 16 bits for R, G, B and alpha.
        case layers([Layer], canvas: PixelSize, background: [UInt16])
    }

    public let content: Content
    /// Which part of the content is shown, and how it is turned.
    public internal(set) var placement: HEIFPlacement
    /// Whether colours are multiplied by their alpha.
    public let isPremultiplied: Bool
    /// The place of the ICC profile in the file.
    public let profile: Range<Int>?
    /// Numbers of ITU-T H.273; 2 if the file does not have them.
    public let primaries: Int
    public let transfer: Int

    /// The part of the content that is shown, before it is turned.
    public var size: PixelSize { placement.size }

    public var hasAlpha: Bool {
        switch content {
        case .tiles(_, let alpha): alpha != nil
        case .layers(_, _, let background): background[3] < .max
        }
    }
}

/// The part of a picture that is shown, and how it is turned: the properties `clap`, `irot` and `imir`, in order
/// (ISO/IEC 23008-12 §6.5).
public struct HEIFPlacement: Sendable, Hashable {
    /// The part's upper left corner.
    public private(set) var x = 0
    public private(set) var y = 0
    /// Its size before it is turned.
    public private(set) var size: PixelSize
    public private(set) var orientation = Orientation.upright

    public init(_ size: PixelSize) { self.size = size }

    public var uprightSize: PixelSize { orientation.swapsAxes ? size.swapped : size }

    mutating func rotate(counterclockwiseQuarters quarters: Int) {
        orientation = orientation.rotated(clockwiseQuarters: -quarters)
    }

    /// Exchanges left and right, or top and bottom.
    mutating func mirror(topAndBottom: Bool) {
        orientation = orientation.mirroredSideways.rotated(clockwiseQuarters: topAndBottom ? 2 : 0)
    }

    /// Keeps a part of the shown picture. Returns false if the part reaches beyond it.
    mutating func crop(_ crop: HEIFCrop) -> Bool {
        let shown = uprightSize
        // All are below 2^32, so that a double holds their sums.
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

/// The property `clap`: a size, and how far its middle is from the picture's.
struct HEIFCrop: Sendable, Hashable {
    var width: Double
    var height: Double
    var right = 0.0
    var down = 0.0
}
