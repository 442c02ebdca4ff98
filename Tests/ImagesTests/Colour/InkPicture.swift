import Images

/// A CMYK JPEG of single-coloured blocks of 8 x 8 pixels. Each block is coded as a DC coefficient alone.
struct InkPicture {
    /// The number of blocks in a row, and the number of rows.
    let width: Int, height: Int
    /// Four samples per block, 255 for no ink, as Adobe's programs write them.
    let samples: [UInt8]
    var hasAdobeMarker = true

    /// - Parameter profile: must fit in a single segment.
    func jpeg(profile: [UInt8] = []) -> [UInt8] {
        func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
            [0xFF, marker, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)] + body
        }
        func number(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }
        var bytes: [UInt8] = [0xFF, 0xD8]
        if hasAdobeMarker { bytes += segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 0]) }
        if !profile.isEmpty { bytes += segment(0xE2, Array("ICC_PROFILE".utf8) + [0, 1, 1] + profile) }
        bytes += segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        let size = number(height * 8) + number(width * 8)
        let components: [UInt8] = [1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0]
        bytes += segment(0xC0, [8] + size + [4] + components)
        // The Huffman codes: 4 bits for each of the twelve DC categories, and 1 bit for the end of a block.
        let means: [UInt8] = [0x00, 0, 0, 0, 12] + [UInt8](repeating: 0, count: 12)
        bytes += segment(0xC4, means + Array(0..<12))
        let rest: [UInt8] = [0x10, 1] + [UInt8](repeating: 0, count: 16)
        bytes += segment(0xC4, rest)
        bytes += segment(0xDA, [4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0])
        return bytes + entropyCoded + [0xFF, 0xD9]
    }

    private var entropyCoded: [UInt8] {
        var bytes: [UInt8] = []
        var (bits, count) = (0, 0)
        func put(_ value: Int, _ length: Int) {
            for bit in (0..<length).reversed() {
                bits = bits << 1 | value >> bit & 1
                count += 1
                guard count == 8 else { continue }
                bytes.append(UInt8(bits))
                if bits == 0xFF { bytes.append(0) }
                (bits, count) = (0, 0)
            }
        }
        var last = [0, 0, 0, 0]
        for (index, sample) in samples.enumerated() {
            let mean = 8 * (Int(sample) - 128)
            let difference = mean - last[index % 4]
            last[index % 4] = mean
            var length = 0
            while abs(difference) >> length > 0 { length += 1 }
            put(length, 4)
            put(difference < 0 ? difference - 1 : difference, length)
            put(0, 1)
        }
        if count > 0 { put(0x7F, 8 - count) }
        return bytes
    }
}
