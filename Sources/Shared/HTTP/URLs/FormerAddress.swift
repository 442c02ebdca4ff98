import Support

/// Addresses as the pre-release of 2026-11-24 wrote them. An entry under a key from such an address is moved to its
/// present key on its first use (`CacheKey.legacyKey`). Version 2.0.0 may remove this, and abandon such caches.
extension WebURL {
    /// Returns the URL that the pre-release made from `text`, or nil if the pre-release refused the text or made the
    /// same URL.
    ///
    /// The pre-release kept backslashes as characters of the path, refused them in the authority, and mapped hosts
    /// without composition (NFC) and with fewer equivalent characters.
    package func former(of text: String) -> WebURL? {
        let bytes = Self.trimmed(text)
        guard let colon = Self.endOfScheme(bytes[...]), bytes[(colon + 1)...].starts(with: "//".utf8) else {
            return nil
        }
        let rest = bytes[(colon + 3)...]
        let end = rest.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        let authority = rest[..<end]
        if authority.contains(UInt8(ascii: "\\")) { return nil }
        var former = self
        former.path = Tail(rest[end...]).path
        let host = authority[(authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? authority.startIndex)...]
        let decoded = PercentEncoding.decoded(host.prefix { $0 != UInt8(ascii: ":") })
        // Hosts that are addresses are unchanged.
        if address == nil, decoded.contains(where: { $0 >= 0x80 }) {
            guard let name = FormerName.ascii(String(decoding: decoded, as: UTF8.self)) else { return nil }
            former.host = name
        }
        return former == self ? nil : former
    }
}

/// Maps non-ASCII host names as the pre-release did.
private enum FormerName {
    /// Returns nil if a character was refused.
    static func ascii(_ name: String) -> String? {
        var mapped = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            switch scalar.value {
            case 0x3002, 0xFF0E, 0xFF61: mapped.append(".")
            case 0xFF01...0xFF5E: mapped.append(Unicode.Scalar(scalar.value - 0xFEE0)!)
            default:
                if scalar.value >= 0x80, !isAllowed(scalar) { return nil }
                mapped.append(scalar)
            }
        }
        var result: [String] = []
        for label in String(mapped).lowercased().split(separator: ".", omittingEmptySubsequences: false) {
            if label.utf8.allSatisfy({ $0 < 0x80 }) {
                result.append(String(label))
            } else {
                guard let encoded = punycode(label.unicodeScalars.map(\.value)) else { return nil }
                result.append("xn--" + encoded)
            }
        }
        return result.joined(separator: ".")
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            false
        default: true
        }
    }

    /// Encodes by RFC 3492 §6.3 with the parameters for host names (§5). Returns nil for more than 63 characters.
    private static func punycode(_ scalars: [UInt32]) -> String? {
        let (base, least, most) = (36, 1, 26)
        var output = scalars.filter { $0 < 0x80 }.map { UInt8($0) }
        let basicCount = output.count
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var handled = basicCount
        var current: UInt32 = 128
        var delta = 0
        var bias = 72
        // Nothing below can overflow for so few characters.
        guard scalars.count <= 63 else { return nil }
        while handled < scalars.count {
            let next = scalars.filter { $0 >= current }.min() ?? current
            delta += Int(next - current) * (handled + 1)
            current = next
            for scalar in scalars {
                if scalar < current { delta += 1 }
                guard scalar == current else { continue }
                var rest = delta
                var step = base
                while true {
                    let threshold = step <= bias ? least : (step >= bias + most ? most : step - bias)
                    if rest < threshold { break }
                    output.append(digit(threshold + (rest - threshold) % (base - threshold)))
                    rest = (rest - threshold) / (base - threshold)
                    step += base
                }
                output.append(digit(rest))
                bias = adapted(delta, count: handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            current += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// RFC 3492 §6.1.
    private static func adapted(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps = 0
        while delta > (35 * 26) / 2 {
            delta /= 35
            steps += 36
        }
        return steps + 36 * delta / (delta + 38)
    }

    private static func digit(_ value: Int) -> UInt8 {
        value < 26 ? UInt8(ascii: "a") + UInt8(value) : UInt8(ascii: "0") + UInt8(value - 26)
    }
}
