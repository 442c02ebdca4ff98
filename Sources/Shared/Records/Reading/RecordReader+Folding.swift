extension RecordReader {
    /// The bytes without any white space between tokens that holds a line break.
    static func withoutLineBreaks(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var i = bytes.startIndex
        while i < bytes.endIndex {
            let byte = bytes[i]
            if byte == UInt8(ascii: "\"") {
                let end = JSONBytes.end(ofValueAt: i, in: bytes)
                result += bytes[i..<end]
                i = end
            } else if byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
                let end = JSONBytes.skipBlanks(bytes, i)
                let run = bytes[i..<end]
                if !run.contains(0x0A), !run.contains(0x0D) { result += run }
                i = end
            } else {
                result.append(byte)
                i += 1
            }
        }
        return result
    }
}
