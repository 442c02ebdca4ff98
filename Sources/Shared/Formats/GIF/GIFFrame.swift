/// An image of a GIF, with the fields of its descriptor and of its graphic control extension (GIF89a §20, §23).
public struct GIFFrame: Sendable, Hashable {
    /// How the frame's rectangle changes before the next frame is drawn.
    public enum Disposal: String, Sendable, CaseIterable {
        case unspecified, keep, background, previous

        /// 0 to 3 as in the specification. Old programs treat the three bits as flags and write 4, which browsers treat
        /// as 3. 5 to 7 are reserved.
        init(_ bits: UInt8) {
            switch bits {
            case 1: self = .keep
            case 2: self = .background
            case 3, 4: self = .previous
            default: self = .unspecified
            }
        }
    }

    /// The rectangle on the canvas. Parts outside the canvas are not visible.
    public let left: Int
    public let top: Int
    public let size: PixelSize
    /// The stored delay after the frame, a multiple of 10. Browsers treat 0 and 10 as 100.
    public let delayMilliseconds: Int
    public let disposal: Disposal
    /// The palette index of transparent pixels, which do not change the canvas.
    public let transparentIndex: UInt8?
    /// Colours in the local palette; 0 if the frame uses the global palette.
    public let localPaletteCount: Int
    public let isInterlaced: Bool
}
