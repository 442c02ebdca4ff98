import Support

/// An IPv4 or IPv6 address.
public struct IPAddress: Sendable, Hashable {
    /// 4 or 16 bytes in network order.
    public let bytes: [UInt8]

    public var isIPv4: Bool { bytes.count == 4 }

    /// Whether packets to this address stay on this machine: 127.0.0.0/8 (RFC 1122 §3.2.1.3), its IPv4-mapped form, and
    /// ::1. Other addresses of class `AddressClass.loopback` embed a loopback address, but are routed to a gateway.
    var isLoopback: Bool {
        if isIPv4 { return bytes[0] == 127 }
        let zeros = [UInt8](repeating: 0, count: 10)
        return bytes == zeros + [0, 0, 0, 0, 0, 1] || bytes.starts(with: zeros + [0xFF, 0xFF, 127])
    }

    /// Returns nil unless there are 4 or 16 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    public init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) { bytes = [a, b, c, d] }

    /// Parses four decimal numbers without leading zeros, or an IPv6 address (RFC 4291 §2.2) without a zone.
    public init?(_ text: some StringProtocol) {
        guard let bytes = text.contains(":") ? Self.ipv6(Array(text.utf8)) : Self.dottedIPv4(Array(text.utf8)[...])
        else { return nil }
        self.bytes = bytes
    }

    /// Parses any form of IPv4 address that `inet_aton(3)` accepts: 1 to 4 numbers in decimal, octal (`0…`) or
    /// hexadecimal (`0x…`). The last number fills the remaining bytes: `127.1`, `0x7f000001`, `2130706433`.
    public init?(anyIPv4Form text: some StringProtocol) { self.init(anyIPv4Form: Array(text.utf8)[...]) }

    init?(anyIPv4Form text: ArraySlice<UInt8>) {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...4).contains(parts.count) else { return nil }
        var numbers = parts.compactMap(Self.number)
        guard numbers.count == parts.count else { return nil }
        let last = numbers.removeLast()
        guard numbers.allSatisfy({ $0 <= 255 }), last < 1 << (8 * UInt64(4 - numbers.count)) else { return nil }
        var value = last
        for (index, number) in numbers.enumerated() { value |= number << (8 * UInt64(3 - index)) }
        bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64(3 - $0))) }
    }

    private static func number(_ text: ArraySlice<UInt8>) -> UInt64? {
        let zero = UInt8(ascii: "0")
        var digits = text
        var radix = 10
        if digits.count >= 2, digits.first == zero, digits[digits.startIndex + 1] | 0x20 == UInt8(ascii: "x") {
            digits = digits.dropFirst(2)
            radix = 16
        } else if digits.count > 1, digits.first == zero {
            digits = digits.dropFirst()
            radix = 8
        }
        // Accepts digits only, since `UInt64` also accepts a sign. Returns nil without digits, or if the number
        // overflows.
        guard digits.allSatisfy(\.isHexDigit) else { return nil }
        return UInt64(String(decoding: digits, as: UTF8.self), radix: radix)
    }

    private static func dottedIPv4(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            guard (1...3).contains(part.count), part.allSatisfy(\.isDigit), part.count == 1 || part.first != 0x30,
                let byte = UInt8(String(decoding: part, as: UTF8.self))
            else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    /// RFC 4291 §2.2: eight groups; one run of zeros may be written `::`, and the last two groups as an IPv4 address.
    private static func ipv6(_ text: [UInt8]) -> [UInt8]? {
        let gap = text.indices.dropLast().first { text[$0...].starts(with: "::".utf8) }
        guard let gap else {
            let bytes = groups(text[...], mayEndInIPv4: true)
            return bytes?.count == 16 ? bytes : nil
        }
        guard let head = groups(text[..<gap], mayEndInIPv4: false),
            let tail = groups(text[(gap + 2)...], mayEndInIPv4: true), head.count + tail.count <= 14
        else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    private static func groups(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> [UInt8]? {
        if text.isEmpty { return [] }
        var bytes: [UInt8] = []
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if mayEndInIPv4, index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let ipv4 = dottedIPv4(part) else { return nil }
                bytes += ipv4
                continue
            }
            guard (1...4).contains(part.count), part.allSatisfy(\.isHexDigit),
                let value = UInt16(String(decoding: part, as: UTF8.self), radix: 16)
            else { return nil }
            bytes += [UInt8(value >> 8), UInt8(value & 0xFF)]
        }
        return bytes.count <= 16 ? bytes : nil
    }
}

extension IPAddress: CustomStringConvertible {
    /// Dotted decimal, or RFC 5952: lower case, no leading zeros, the longest run of zero groups as `::`, and the IPv4
    /// part of `::ffff:0:0/96` in decimal (§5).
    public var description: String {
        // `joined` looks up conformances at run time, which would slow the start of each run with an IPv4 host.
        if isIPv4 { return "\(bytes[0]).\(bytes[1]).\(bytes[2]).\(bytes[3])" }
        if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF, bytes[11] == 0xFF {
            return "::ffff:" + bytes[12...].map { String($0) }.joined(separator: ".")
        }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        var longest = 0..<0
        var start = 0
        while start < 8 {
            guard groups[start] == 0 else {
                start += 1
                continue
            }
            let end = groups[start...].firstIndex { $0 != 0 } ?? 8
            if end - start > longest.count { longest = start..<end }
            start = end
        }
        func joined(_ range: Range<Int>) -> String {
            groups[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        // A single zero group is written out (RFC 5952 §4.2.2).
        guard longest.count > 1 else { return joined(0..<8) }
        return joined(0..<longest.lowerBound) + "::" + joined(longest.upperBound..<8)
    }
}
