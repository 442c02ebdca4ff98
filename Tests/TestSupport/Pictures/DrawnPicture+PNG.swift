/// A PNG chunk (PNG specification, third edition, §5.3).
public struct PNGChunk: Sendable {
    public let type: String
    public let data: [UInt8]

    public init(_ type: String, _ data: [UInt8]) {
        self.type = type
        self.data = data
    }

    /// The length, type, data and CRC.
    public var bytes: [UInt8] {
        let checked = Array(type.utf8) + data
        return Deflate.bigEndian(UInt32(data.count)) + checked + Deflate.bigEndian(Deflate.crc32(checked))
    }
}

/// The filter of a row (§9).
public enum PNGFilter: UInt8, Sendable, CaseIterable {
    case none, sub, up, average, paeth
}

extension DrawnPicture {
    /// Returns a PNG with 8 bits per sample, not interlaced.
    ///
    /// - Parameters:
    ///   - filter: the filter of all rows; nil cycles through all five.
    ///   - chunks: inserted between the header and the picture data, such as `eXIf` or `iCCP`.
    public func png(
        _ method: Deflate.Method = .fixed, filter: PNGFilter? = .sub, chunks: [PNGChunk] = []
    ) -> [UInt8] {
        let colourTypes: [UInt8] = [0, 4, 2, 6]
        let header =
            Deflate.bigEndian(UInt32(width)) + Deflate.bigEndian(UInt32(height))
            + [8, colourTypes[channels - 1], 0, 0, 0]
        var result: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        result += PNGChunk("IHDR", header).bytes
        for chunk in chunks { result += chunk.bytes }
        result += PNGChunk("IDAT", Deflate.zlib(filtered(filter), method)).bytes
        return result + PNGChunk("IEND", []).bytes
    }

    private func filtered(_ filter: PNGFilter?) -> [UInt8] {
        let stride = width * channels
        var result: [UInt8] = []
        result.reserveCapacity((stride + 1) * height)
        for y in 0..<height {
            let filter = filter ?? PNGFilter.allCases[y % 5]
            result.append(filter.rawValue)
            let start = y * stride
            switch filter {
            case .none: result += bytes[start..<start + stride]
            case .sub:
                result += bytes[start..<start + channels]
                for index in start + channels..<start + stride {
                    result.append(bytes[index] &- bytes[index - channels])
                }
            case .up, .average, .paeth:
                for index in start..<start + stride {
                    let left = index - start >= channels ? Int(bytes[index - channels]) : 0
                    let above = y > 0 ? Int(bytes[index - stride]) : 0
                    let corner = y > 0 && index - start >= channels ? Int(bytes[index - stride - channels]) : 0
                    let predicted =
                        filter == .up ? above : filter == .average ? (left + above) / 2 : paeth(left, above, corner)
                    result.append(bytes[index] &- UInt8(predicted))
                }
            }
        }
        return result
    }

    /// Returns the neighbour nearest to left + above − corner (§9.4).
    private func paeth(_ left: Int, _ above: Int, _ corner: Int) -> Int {
        let estimate = left + above - corner
        let distances = (abs(estimate - left), abs(estimate - above), abs(estimate - corner))
        if distances.0 <= distances.1 && distances.0 <= distances.2 { return left }
        return distances.1 <= distances.2 ? above : corner
    }
}
