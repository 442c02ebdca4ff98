import Support

/// Reads values in bytes that are valid JSON.
enum JSONBytes {
    /// Decodes a JSON string with its quotes; returns nil for any other kind of value. A lone surrogate becomes U+FFFD.
    static func string(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.first == UInt8(ascii: "\""), bytes.count >= 2 else { return nil }
        return bytes.withUnsafeBufferPointer { bytes in
            let body = UnsafeBufferPointer(rebasing: bytes[1..<bytes.count - 1])
            guard var escape = body.firstIndex(of: UInt8(ascii: "\\")) else {
                return String(decoding: body, as: UTF8.self)
            }
            var result: [UInt8] = []
            result.reserveCapacity(body.count)
            var start = 0
            while escape + 1 < body.count {
                result += body[start..<escape]
                start = escape + 2
                switch body[escape + 1] {
                case UInt8(ascii: "b"): result.append(0x08)
                case UInt8(ascii: "f"): result.append(0x0C)
                case UInt8(ascii: "n"): result.append(0x0A)
                case UInt8(ascii: "r"): result.append(0x0D)
                case UInt8(ascii: "t"): result.append(0x09)
                case UInt8(ascii: "u"):
                    var scalar = hex(body, at: start)
                    start += 4
                    if (0xD800...0xDBFF).contains(scalar), start + 1 < body.count, body[start] == UInt8(ascii: "\\"),
                        body[start + 1] == UInt8(ascii: "u"), case let low = hex(body, at: start + 2),
                        (0xDC00...0xDFFF).contains(low)
                    {
                        scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
                        start += 6
                    }
                    result += String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8
                case let character: result.append(character)
                }
                escape = body[min(start, body.count)...].firstIndex(of: UInt8(ascii: "\\")) ?? body.count
            }
            result += body[min(start, body.count)...]
            return String(decoding: result, as: UTF8.self)
        }
    }

    private static func hex(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> UInt32 {
        guard start + 4 <= bytes.endIndex else { return 0xFFFD }
        return bytes[start..<start + 4].reduce(0) { value, byte in
            value << 4 | UInt32(byte.isDigit ? byte - UInt8(ascii: "0") : (byte | 0x20) - UInt8(ascii: "a") + 10)
        }
    }

    /// Returns the end offset of the value that begins at `start`.
    static func end(ofValueAt start: Int, in bytes: ArraySlice<UInt8>) -> Int {
        var i = start
        var depth = 0
        while i < bytes.endIndex {
            switch bytes[i] {
            case UInt8(ascii: "\""):
                i += 1
                while i < bytes.endIndex, bytes[i] != UInt8(ascii: "\"") { i += bytes[i] == UInt8(ascii: "\\") ? 2 : 1 }
                i += 1
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                i += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return i }
                depth -= 1
                i += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D:
                if depth == 0 { return i }
                i += 1
                continue
            default:
                i += 1
                continue
            }
            if depth == 0 { return min(i, bytes.endIndex) }
        }
        return bytes.endIndex
    }

    /// Returns the value of `key` in an object, or the element with that index in an array. The last of duplicate keys
    /// wins.
    ///
    /// Keys are compared as unescaped bytes without Unicode normalisation: `"\u0061"` is `"a"`, but a precomposed é is
    /// not e with a combining accent.
    static func member(_ key: String, of container: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        switch container.first {
        case UInt8(ascii: "{"):
            var found: ArraySlice<UInt8>?
            var i = skipWhitespace(container, container.startIndex + 1)
            while i < container.endIndex, container[i] == UInt8(ascii: "\"") {
                let keyEnd = end(ofValueAt: i, in: container)
                let name = container[i..<keyEnd]
                let valueStart = skipWhitespace(container, skipWhitespace(container, keyEnd) + 1)
                let valueEnd = end(ofValueAt: valueStart, in: container)
                if let name = string(name), name.utf8.elementsEqual(key.utf8) {
                    found = container[valueStart..<valueEnd]
                }
                i = skipWhitespace(container, skipWhitespace(container, valueEnd) + 1)
            }
            return found
        case UInt8(ascii: "["):
            guard let wanted = Int(key), wanted >= 0 else { return nil }
            var found: ArraySlice<UInt8>?
            var index = 0
            forEachElement(of: container) { element in
                if index == wanted { found = element }
                index += 1
                return found == nil
            }
            return found
        default: return nil
        }
    }

    /// Calls `body` for each element of an array until `body` returns false. Does nothing for any other kind of value.
    static func forEachElement(of array: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) -> Bool) {
        guard array.first == UInt8(ascii: "[") else { return }
        var i = skipWhitespace(array, array.startIndex + 1)
        while i < array.endIndex, array[i] != UInt8(ascii: "]") {
            let valueEnd = end(ofValueAt: i, in: array)
            guard body(array[i..<valueEnd]) else { return }
            i = skipWhitespace(array, skipWhitespace(array, valueEnd) + 1)
        }
    }

    static func skipWhitespace(_ bytes: ArraySlice<UInt8>, _ start: Int) -> Int {
        var i = start
        while i < bytes.endIndex, bytes[i] == 0x20 || bytes[i] == 0x0A || bytes[i] == 0x0D || bytes[i] == 0x09 {
            i += 1
        }
        return i
    }
}
