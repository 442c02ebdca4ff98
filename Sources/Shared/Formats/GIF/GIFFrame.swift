/// An image of a GIF, with the fields of its descriptor and of its graphic control extension (GIF89a §20, §23).
public struct GIFFrame: Sendable, Hashable {
    /// The fate of the frame's rectangle after its time.
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

    /// The rectangle on the canvas. Parts outside of the canvas are not visible.
    public let left: Int
    public let top: Int
    public let size: PixelSize
    /// The time that the frame is shown, as stored, in steps of 10. Browsers play 0 and 10 as 100.
    public let delayMilliseconds: Int
    public let disposal: Disposal
    /// The palette index that leaves the canvas as it is.
    public let transparentIndex: UInt8?
    /// Colours in the frame's own palette; 0 if it uses the global one.
    public let localPaletteCount: Int
    public let isInterlaced: Bool
}
