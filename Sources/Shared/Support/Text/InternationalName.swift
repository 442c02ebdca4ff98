import CIDN

/// Converts non-ASCII host names to ASCII for the DNS (RFC 5890).
///
/// Names are mapped as in browsers, by UTS #46 (nontransitional): case, width, composition (NFC) and ignorable
/// characters make no difference, but `ß` and the joiners do. Uses libidn2 rather than libcurl, whose conversion
/// depends on the locale and on libcurl's build. The library is loaded for the first name that needs it.
public enum InternationalName {
    /// Returns the name in lower-case ASCII, with `xn--` labels for non-ASCII labels; nil if UTS #46 does not allow the
    /// name. An ASCII name is not validated. Throws `UnmappedName` if libidn2 is missing.
    ///
    /// libidn2 is stricter than browsers: it refuses characters newer than its Unicode tables.
    public static func ascii(_ name: String) throws(UnmappedName) -> String? {
        let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
        if isASCII, !hasEncodedLabel(name) { return name.lowercased() }
        // ASCII characters other than these are invalid in a host name, but the mapping would keep them. In particular,
        // a NUL would end the C string.
        guard name.utf8.allSatisfy({ $0 >= 0x80 || PercentEncoding.isUnreserved($0) }) else { return nil }
        if let reason = cidn_load() {
            // An ASCII name needs no mapping. Without libidn2, only its validation is omitted.
            if isASCII { return name.lowercased() }
            throw UnmappedName(host: name, reason: String(cString: reason))
        }
        var labels: [String] = []
        for label in name.unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: isDot) {
            guard let ascii = try ascii(label: String(label)) else { return nil }
            labels.append(ascii)
        }
        return try keepsBidiRule(labels) ? labels.joined(separator: ".") : nil
    }

    /// Returns the form of a name for comparisons: ASCII, or lower case if it cannot be converted.
    public static func comparable(_ name: some StringProtocol) -> String {
        let name = String(name)
        return (try? ascii(name)) ?? name.lowercased()
    }

    /// Whether the host of an address may need libidn2.
    public static func mayBeHost(of address: String) -> Bool {
        guard let slashes = address.slashesOfAuthority else { return false }
        let host = address.utf8[slashes.upperBound...].prefix { !"/?#\\".utf8.contains($0) }
        // A percent-encoded byte may be non-ASCII.
        return host.contains { $0 >= 0x80 || $0 == UInt8(ascii: "%") } || hasEncodedLabel(Substring(host))
    }

    /// Whether a label begins with `xn--`.
    private static func hasEncodedLabel(_ name: some StringProtocol) -> Bool {
        guard name.utf8.contains(UInt8(ascii: "-")) else { return false }
        return name.utf8.split(separator: UInt8(ascii: ".")).contains { isEncoded($0) }
    }

    private static func isEncoded(_ label: some Sequence<UInt8>) -> Bool {
        label.prefix(4).elementsEqual("xn--".utf8) { $0 | 0x20 == $1 }
    }

    /// Whether a character is a full stop, or mapped to it by UTS #46.
    private static func isDot(_ scalar: Unicode.Scalar) -> Bool {
        [".", "\u{3002}", "\u{FF0E}", "\u{FF61}"].contains(scalar)
    }

    // MARK: Labels

    /// Whether the mapped labels of a name satisfy the Bidi rule (RFC 5893 §2). libidn2 sees one label at a time, and
    /// checks only labels with right-to-left letters. If a name has such a label, its other labels must begin with a
    /// letter, and end with a letter or digit.
    private static func keepsBidiRule(_ labels: [String]) throws(UnmappedName) -> Bool {
        guard labels.contains(where: { isEncoded($0.utf8) }) else { return true }
        var names: [String] = []
        for label in labels where !label.isEmpty { names.append(try decoded(label) ?? label) }
        let others = names.filter { !$0.unicodeScalars.contains(where: isRightToLeft) }
        return others.count == names.count || others.allSatisfy(isLeftToRight)
    }

    /// Whether a label without right-to-left letters satisfies the rule for left-to-right labels. Tests general
    /// categories, which differ from the bidirectional classes of the rule only for a few modifier letters.
    private static func isLeftToRight(_ label: String) -> Bool {
        func isStrong(_ scalar: Unicode.Scalar, orDigit: Bool = false) -> Bool {
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .spacingMark: true
            case .decimalNumber: orDigit || !scalar.isASCII
            default: false
            }
        }
        let scalars = label.unicodeScalars
        guard let first = scalars.first,
            let last = scalars.last(where: { $0.properties.generalCategory != .nonspacingMark })
        else { return false }
        return isStrong(first) && isStrong(last, orDigit: true)
    }

    /// Does not pass ASCII labels without `xn--` to libidn2, which would refuse `r3---sn`.
    private static func ascii(label: String) throws(UnmappedName) -> String? {
        let isASCII = label.utf8.allSatisfy { $0 < 0x80 }
        if isASCII, !isEncoded(label.utf8) { return label.lowercased() }
        if let mapped = try mapped(label) { return mapped }
        guard isASCII else { return try asciiWithHyphens(label) }
        guard let decoded = try decoded(label), try asciiWithHyphens(decoded) == label.lowercased() else { return nil }
        return label.lowercased()
    }

    /// Maps a label with hyphens at either end, or as third and fourth character. Browsers accept them (WHATWG URL,
    /// *domain to ASCII*), libidn2 does not. Replaces hyphens by underscores, which all other rules treat like hyphens,
    /// and restores them in the result.
    private static func asciiWithHyphens(_ label: String) throws(UnmappedName) -> String? {
        let (hyphen, underscore) = (UInt8(ascii: "-"), UInt8(ascii: "_"))
        // The hyphens and underscores of the label, in their order, which mapping keeps.
        var marks: [UInt8] = []
        var masked = String.UnicodeScalarView()
        for scalar in label.unicodeScalars {
            switch scalar.value {
            // Hyphens, including the small and full-width forms.
            case 0x2D, 0xFE63, 0xFF0D: marks.append(hyphen)
            // Underscores, including the wavy, dashed, vertical and full-width forms.
            case 0x5F, 0xFE33, 0xFE34, 0xFE4D...0xFE4F, 0xFF3F: marks.append(underscore)
            default:
                masked.append(scalar)
                continue
            }
            masked.append("_")
        }
        guard marks.contains(hyphen), let mapped = try mapped(String(masked)),
            mapped.utf8.count(where: { $0 == underscore }) == marks.count
        else { return nil }
        var rest = marks[...]
        let result = String(decoding: mapped.utf8.map { $0 == underscore ? rest.removeFirst() : $0 }, as: UTF8.self)
        guard isEncoded(result.utf8) else { return result }
        // The label began with `xn--` in other characters, such as full-width letters.
        guard isEncoded(mapped.utf8) else { return try ascii(label: result) }
        // A label that begins with `xn--` is not encoded again.
        return isEncoded(result.utf8.dropFirst(4)) ? nil : result
    }

    private static func mapped(_ label: String) throws(UnmappedName) -> String? {
        let (status, mapped) = try call(label) { cidn_to_ascii(label, 0, $0) }
        return status == CIDN_DISALLOWED ? try asciiWithSymbols(label) : mapped
    }

    private static func decoded(_ label: String) throws(UnmappedName) -> String? {
        try call(label) { cidn_to_unicode(label, $0) }.text
    }

    /// Maps a label with symbols such as `☃`, which UTS #46 allows but IDNA 2008 does not. Uses transitional mapping,
    /// which omits the checks of IDNA 2008. Since it also omits the rules for joiners and directions, labels with
    /// deviation characters or right-to-left letters are refused.
    private static func asciiWithSymbols(_ label: String) throws(UnmappedName) -> String? {
        guard !label.unicodeScalars.contains(where: isDeviation),
            let mapped = try call(label, { cidn_to_ascii(label, 1, $0) }).text,
            let decoded = try decoded(mapped),
            !decoded.unicodeScalars.contains(where: { isDeviation($0) || isRightToLeft($0) })
        else { return nil }
        return mapped
    }

    private static func call(
        _ label: String, _ function: (UnsafeMutablePointer<CChar>) -> cidn_status
    ) throws(UnmappedName) -> (status: cidn_status, text: String?) {
        let (status, text) = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(CIDN_CAPACITY)) { buffer in
            // `baseAddress` is never nil for a capacity above 0.
            guard let start = buffer.baseAddress else { return (CIDN_NO_MEMORY, String?.none) }
            let status = function(start)
            return (status, status == CIDN_OK ? String(cString: start) : nil)
        }
        if status == CIDN_NO_MEMORY { throw UnmappedName(host: label, reason: "there is not enough memory") }
        return (status, text)
    }

    /// Whether transitional mapping treats a character differently: `ß`, `ẞ`, `ς` and the joiners (UTS #46 §6).
    private static func isDeviation(_ scalar: Unicode.Scalar) -> Bool {
        [0xDF, 0x1E9E, 0x3C2, 0x200C, 0x200D].contains(scalar.value)
    }

    /// Whether a character is in a block with letters or digits of `Bidi_Class` R, AL or AN, assigned or reserved.
    private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}

/// A non-ASCII host that cannot be mapped on this machine: status 69.
public struct UnmappedName: Failure, Equatable {
    public let host: String
    /// The reason and a remedy.
    public let reason: String

    public var code: String { "no-libidn2" }
    public var exitCode: ExitCode { .unavailable }
    public var message: String { "the host \"\(host)\" cannot be converted to ASCII: \(reason)" }
}
