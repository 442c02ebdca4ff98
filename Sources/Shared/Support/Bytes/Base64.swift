/// Base64 with padding (RFC 4648 §4).
public enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    public static func encoded(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var group: UInt32 = 0
        var count = 0
        func flush() {
            for place in 0..<4 {
                text.append(place <= count ? digits[Int(group >> (18 - 6 * UInt32(place)) & 63)] : UInt8(ascii: "="))
            }
            (group, count) = (0, 0)
        }
        for byte in bytes {
            group |= UInt32(byte) << (16 - 8 * UInt32(count))
            count += 1
            if count == 3 { flush() }
        }
        if count > 0 { flush() }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the decoded bytes, or nil if the text is not Base64 or lacks padding.
    public static func decoded(_ text: String) -> [UInt8]? {
        let padding = text.utf8.reversed().prefix(2).prefix { $0 == UInt8(ascii: "=") }.count
        guard text.utf8.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 4 * 3)
        var group: UInt32 = 0
        var bits = 0
        for digit in text.utf8.dropLast(padding) {
            guard let value = value(of: digit) else { return nil }
            group = group << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
                group &= 1 << UInt32(bits) - 1
            }
        }
        // The unused bits of the last digit must be zero, so that bytes have only one encoding (RFC 4648 §3.5).
        return group == 0 ? bytes : nil
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
