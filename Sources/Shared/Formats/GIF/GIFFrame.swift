/// One image of a GIF, as its descriptor and the graphic control extension before it have it (GIF89a §20, §23).
public struct GIFFrame: Sendable, Hashable {
    /// What becomes of the frame's rectangle when its time is over.
    public enum Disposal: String, Sendable, CaseIterable {
        case unspecified, keep, background, previous

        /// 0 to 3 as in the specification. 4 is written by old programs that took the three bits for flags, and means 3
        /// to browsers; 5 to 7 are reserved.
        init(_ bits: UInt8) {
            switch bits {
            case 1: self = .keep
            case 2: self = .background
            case 3, 4: self = .previous
            default: self = .unspecified
            }
        }
    }

    /// The rectangle on the canvas, which it may leave: what lies outside is not seen.
    public let left: Int
    public let top: Int
    public let size: PixelSize
    /// How long the frame is shown, as it is stored, in steps of 10: 0 and 10 as well, which browsers play as 100.
    public let delayMilliseconds: Int
    public let disposal: Disposal
    /// The palette index that leaves the canvas as it is.
    public let transparentIndex: UInt8?
    /// Colours in the frame's own palette; 0 if it uses the global one.
    public let localPaletteCount: Int
    public let isInterlaced: Bool
}
