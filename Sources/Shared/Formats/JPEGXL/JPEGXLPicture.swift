/// The facts in the headers of a JPEG XL that decide how much memory and time its decoder takes.
public struct JPEGXLPicture: Sendable {
    public struct Frame: Sendable {
        public var size: PixelSize
        /// The canvas that a smaller layer is drawn on; nil if there is none.
        public var canvas: PixelSize?
        public var isModular = false
        public var hasNoise = false
        public var passes = 1
        /// The slot that keeps the frame for later frames, from 0 to 3.
        public var slot: Int?
        /// The last frame of a layered picture, or a frame that an animation shows for a time.
        public var isShown = true
        /// The sections come in another order than a decoder needs.
        public var isReordered = false
        /// The length of the longest section.
        public var sectionBytes = 0
    }

    public var size: PixelSize
    /// The number of channels beyond the colours.
    public var extraChannels = 0
    /// The frames up to the first shown frame. The most costly frames if their headers are unreadable.
    public var frames: [Frame] = []

    /// Whether a decoder needs the bytes in the order of the file.
    public var isInOrder: Bool { !frames.contains(where: \.isReordered) }
}

extension JPEGXLPicture {
    /// Throws `FormatFailure`, and the errors of the source. Takes a read for each frame or two.
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
