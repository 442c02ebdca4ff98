/// Host names beyond ASCII (RFC 5890), in the form that the DNS knows.
///
/// Done here rather than by libcurl, whose conversion depends on the locale and on how it was built.
enum InternationalName {
    /// The name in lower-case ASCII, with its other labels in Punycode after `xn--`; nil if it has a character that no
    /// name may have (blanks, controls, formatting characters, unassigned).
    ///
    /// Covers what matters in pasted text of the mapping of UTS #46: case, full-width forms, and the ideographic full
    /// stops. Text is expected to be composed (NFC), as keyboards produce it.
    static func ascii(_ name: String) -> String? {
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.lowercased() }
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
        let labels = String(mapped).lowercased().split(separator: ".", omittingEmptySubsequences: false)
        var result: [String] = []
        for label in labels {
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

    /// RFC 3492 §6.3, with its parameters for host names (§5); nil on overflow.
    static func punycode(_ scalars: [UInt32]) -> String? {
        let base = 36
        let least = 1
        let most = 26
        var output = scalars.filter { $0 < 0x80 }.map { UInt8($0) }
        let basicCount = output.count
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var handled = basicCount
        var current: UInt32 = 128
        var delta = 0
        var bias = 72
        // A label has at most 63 bytes, so that nothing below can overflow for one that will be accepted.
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
