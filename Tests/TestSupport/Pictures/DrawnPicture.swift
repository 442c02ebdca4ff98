/// A generated picture: rows of interleaved 8-bit samples. The same arguments produce the same picture in every run and
/// on every machine, since only integers are used.
public struct DrawnPicture: Sendable, Equatable {
    public let width: Int
    public let height: Int
    /// Samples per pixel: 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA (not premultiplied).
    public let channels: Int
    /// `width * height * channels` samples, top row first.
    public var bytes: [UInt8]

    public init(width: Int, height: Int, channels: Int, bytes: [UInt8]) {
        precondition(bytes.count == width * height * channels, "a picture's bytes must fit its size")
        self.width = width
        self.height = height
        self.channels = channels
        self.bytes = bytes
    }

    /// Computes each pixel from its position.
    public init(width: Int, height: Int, channels: Int, pixel: (_ x: Int, _ y: Int) -> [UInt8]) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * channels)
        for y in 0..<height { for x in 0..<width { bytes.append(contentsOf: pixel(x, y)) } }
        self.init(width: width, height: height, channels: channels, bytes: bytes)
    }

    /// The samples of a pixel.
    public subscript(x: Int, y: Int) -> [UInt8] {
        let start = (y * width + x) * channels
        return Array(bytes[start..<start + channels])
    }

    /// Returns a picture of a single colour, which also determines the number of channels.
    public static func solid(_ width: Int, _ height: Int, _ colour: [UInt8]) -> DrawnPicture {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * colour.count)
        for _ in 0..<width * height { bytes.append(contentsOf: colour) }
        return DrawnPicture(width: width, height: height, channels: colour.count, bytes: bytes)
    }

    /// Returns a gradient: red grows to the right, green and alpha downwards, blue to the left.
    public static func gradient(_ width: Int, _ height: Int, channels: Int = 3) -> DrawnPicture {
        func ramp(_ position: Int, _ count: Int) -> UInt8 { UInt8(count > 1 ? position * 255 / (count - 1) : 0) }
        return DrawnPicture(width: width, height: height, channels: channels) { x, y in
            switch channels {
            case 1: [ramp(x, width)]
            case 2: [ramp(x, width), ramp(y, height)]
            case 3: [ramp(x, width), ramp(y, height), 255 - ramp(x, width)]
            default: [ramp(x, width), ramp(y, height), 255 - ramp(x, width), ramp(y, height)]
            }
        }
    }

    /// Returns black and white squares of `cell` pixels: the hardest edges for a resampler.
    public static func checkerboard(_ width: Int, _ height: Int, cell: Int = 1) -> DrawnPicture {
        DrawnPicture(width: width, height: height, channels: 3) { x, y in
            let value: UInt8 = (x / cell + y / cell) % 2 == 0 ? 255 : 0
            return [value, value, value]
        }
    }

    /// Returns a picture with a red, a green, a blue and a white quarter, to detect rotation and mirroring.
    public static func quarters(_ width: Int, _ height: Int) -> DrawnPicture {
        DrawnPicture(width: width, height: height, channels: 3) { x, y in
            switch (x < width / 2, y < height / 2) {
            case (true, true): [255, 0, 0]
            case (false, true): [0, 255, 0]
            case (true, false): [0, 0, 255]
            case (false, false): [255, 255, 255]
            }
        }
    }

    /// Returns random samples, which compress worst.
    public static func noise(_ width: Int, _ height: Int, channels: Int = 3, seed: UInt64) -> DrawnPicture {
        var random = SeededRandom(seed: seed)
        return DrawnPicture(
            width: width, height: height, channels: channels, bytes: random.bytes(width * height * channels))
    }

    /// Returns the picture resized to `width` × `height` pixels by nearest neighbour.
    public func sampled(_ width: Int, _ height: Int) -> DrawnPicture {
        DrawnPicture(width: width, height: height, channels: channels) { x, y in
            self[x * self.width / width, y * self.height / height]
        }
    }

    /// Returns the greatest difference of any sample; nil if size or channels differ.
    public func greatestDifference(to other: DrawnPicture) -> Int? {
        guard width == other.width, height == other.height, channels == other.channels else { return nil }
        return zip(bytes, other.bytes).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    }
}
