enum TinyGIF {
    /// A GIF with two frames of 4x3 that last 50 and 70 ms, in an endless loop. The pixel data cannot be decoded.
    static let bytes: [UInt8] = {
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 4, 0, 3, 0, 0, 2, 2, 0x4C, 0x01, 0]
        return Array("GIF89a".utf8) + [4, 0, 3, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
            + [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
            + [0x21, 0xF9, 4, 0, 5, 0, 0, 0] + frame + [0x21, 0xF9, 4, 0, 7, 0, 0, 0] + frame + [0x3B]
    }()
}
