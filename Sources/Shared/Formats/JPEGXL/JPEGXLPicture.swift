/// The properties in the headers of a JPEG XL that determine the decoder's memory and time.
public struct JPEGXLPicture: Sendable {
    public struct Frame: Sendable {
        public var size: PixelSize
        /// The size of the canvas if the frame has fewer pixels; otherwise nil.
        public var canvas: PixelSize?
        public var isModular = false
        public var hasNoise = false
        public var passes = 1
        /// The slot, 0 to 3, in which the decoder keeps the frame for later frames, or nil if it is not kept.
        public var slot: Int?
        /// Whether the frame is the last, or has a duration in an animation.
        public var isShown = true
        /// Whether the sections are stored in another order than a decoder needs.
        public var isReordered = false
        /// The length of the longest section in bytes.
        public var sectionBytes = 0
    }

    public var size: PixelSize
    /// The number of channels beyond the colours.
    public var extraChannels = 0
    /// The frames up to the first shown frame. If the headers are unreadable, the most costly possible frames.
    public var frames: [Frame] = []

    /// Whether a decoder can process the bytes in file order.
    public var isInOrder: Bool { !frames.contains(where: \.isReordered) }
}

extension JPEGXLPicture {
    /// Throws `FormatFailure`, and the errors of the source. Takes one or two reads per frame.
    public init(_ codestream: JPEGXLCodestream) throws {
        var bits = JPEGXLBits(codestream)
        var image = try JPEGXLImage(&bits)
        var frames: [Frame] = []
        let isReadable = try JPEGXLLayout.walk(&bits, &image) { frame in
            frames.append(frame.cost)
            return !frame.cost.isShown
        }
        if !isReadable {
            frames = (0..<5).map {
                Frame(size: image.size, hasNoise: true, passes: 2, slot: $0 & 3, isShown: false, isReordered: true)
            }
        }
        self.init(size: image.size, extraChannels: image.extraChannels, frames: frames)
    }
}
