import Support

/// A JPEG with its height where the frame's header has 0, as it stands behind the first scan (ITU-T T.81 B.2.5): libjpeg
/// needs it before the data.
struct LateHeightSource: ByteSource {
    let source: any ByteSource
    /// Of the height's two bytes.
    let offset: Int
    let height: Int

    var count: Int { source.count }

    func read(into buffer: UnsafeMutableRawBufferPointer, at start: Int) throws -> Int {
        let count = try source.read(into: buffer, at: start)
        for (place, byte) in [(offset, height >> 8), (offset + 1, height & 0xFF)] where 0..<count ~= place - start {
            buffer[place - start] = UInt8(byte)
        }
        return count
    }
}
