extension JSONBytes {
    /// Appends JSON indented by two blanks a level.
    static func indent(_ bytes: [UInt8], into result: inout [UInt8]) {
        var depth = 0
        func newLine(_ result: inout [UInt8]) {
            result.append(UInt8(ascii: "\n"))
            result.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
        }
        let all = bytes[...]
        var i = 0
        while i < bytes.count {
            let byte = bytes[i]
            switch byte {
            case UInt8(ascii: "\""):
                let end = end(ofValueAt: i, in: all)
                result += bytes[i..<end]
                i = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let next = skipBlanks(all, i + 1)
                result.append(byte)
                if next < bytes.count, bytes[next] == byte + 2 {
                    result.append(bytes[next])
                    i = next
                } else {
                    depth += 1
                    newLine(&result)
                }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth = max(0, depth - 1)
                newLine(&result)
                result.append(byte)
            case UInt8(ascii: ","):
                result.append(byte)
                newLine(&result)
            case UInt8(ascii: ":"):
                result.append(byte)
                result.append(UInt8(ascii: " "))
            case 0x20, 0x09, 0x0A, 0x0D: break
            default: result.append(byte)
            }
            i += 1
        }
    }
}
