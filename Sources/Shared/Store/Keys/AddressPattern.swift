import Support

/// A pattern for addresses: a substring, or a glob such as `https://*.example/private/*`.
///
/// * `*` matches any number of characters, including none and slashes; `?` matches exactly one character. All other
///   characters match themselves.
/// * Without `*` and `?`, a pattern matches every address that contains it.
/// * With `*` or `?`, a pattern must match the whole normalized address (`WebURL.normalized`), the address without
///   scheme and `//`, or its path without the query.
/// * For a key chosen by the user, a pattern with `*` or `?` must match the whole key, or the part after `key:`.
/// * Matching is case-sensitive except in scheme and host. Spaces and non-ASCII characters match their normalized form:
///   mapped to ASCII in the host, percent-encoded elsewhere.
///
/// The running time is at most proportional to the product of both lengths.
public struct AddressPattern: Sendable, Hashable, CustomStringConvertible {
    /// The pattern as written by the user.
    public let description: String
    /// The percent-encoded pattern and, if its host has non-ASCII labels, the same pattern with these labels mapped to
    /// ASCII.
    private let forms: [[UInt8]]

    /// The maximum length in bytes, more than anyone writes by hand.
    static let byteLimit = 4096

    /// Nil if the text is empty, longer than 4096 bytes, or has control characters.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.byteLimit, !text.hasControlCharacters else { return nil }
        description = text
        forms = ([text] + [Self.mappingHost(text)].compactMap(\.self)).map(Self.encoded)
    }

    private static func encoded(_ text: String) -> [UInt8] {
        text.pathBytes.flatMap { byte in
            byte > 0x20 && byte < 0x7F ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }

    /// Returns the pattern with the non-ASCII labels of the host mapped to ASCII. The host is the part before the first
    /// slash after the scheme. Labels with wildcards stay. Returns nil if no label changes.
    private static func mappingHost(_ text: String) -> String? {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return nil }
        let start = text.slashesOfAuthority?.upperBound ?? text.startIndex
        let end = text.utf8[start...].firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
        let labels = text[start..<end].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let mapped = labels.map { (try? InternationalName.ascii($0)) ?? $0 }
        return mapped == labels ? nil : text[..<start] + mapped.joined(separator: ".") + text[end...]
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
    private static let star = UInt8(ascii: "*")
    private static let mark = UInt8(ascii: "?")

    private var isGlob: Bool { description.utf8.contains { $0 == Self.star || $0 == Self.mark } }

    /// Whether a normalized address matches, such as an entry's key or a `file` address.
    public func matches(_ address: String) -> Bool { forms.contains { matches($0, address) } }

    private func matches(_ bytes: [UInt8], _ address: String) -> Bool {
        let address = Array(address.utf8)
        // The end of scheme and host, which are compared without regard to case.
        var hostEnd = 0
        var hostStart = 0
        if let colon = address.firstIndex(of: UInt8(ascii: ":")), address[colon...].starts(with: "://".utf8) {
            hostStart = colon + 3
            hostEnd = address[hostStart...].firstIndex { $0 == UInt8(ascii: "/") || $0 == Self.mark } ?? address.count
        }
        guard isGlob else { return Self.isContained(bytes, in: address, caselessUntil: hostEnd) }
        func matches(_ text: ArraySlice<UInt8>) -> Bool { Self.matches(bytes, text, caselessUntil: hostEnd) }
        if matches(address[...]) { return true }
        if hostStart == 0 { return address.starts(with: "key:".utf8) && matches(address[4...]) }
        let pathEnd = address[hostEnd...].firstIndex(of: Self.mark) ?? address.count
        return matches(address[hostStart...]) || matches(address[hostEnd..<pathEnd])
    }

    private static func isContained(_ bytes: [UInt8], in address: [UInt8], caselessUntil end: Int) -> Bool {
        guard bytes.count <= address.count else { return false }
        return (0...address.count - bytes.count).contains { start in
            bytes.indices.allSatisfy { isSame(bytes[$0], address[...], start + $0, caselessUntil: end) }
        }
    }

    /// Whether the pattern matches all of `text`. Only the last star needs backtracking, because it can match
    /// everything that an earlier star could.
    private static func matches(_ bytes: [UInt8], _ text: ArraySlice<UInt8>, caselessUntil end: Int) -> Bool {
        var place = text.startIndex
        var index = 0
        var retry: (index: Int, place: Int)?
        while place < text.endIndex {
            if index < bytes.count, bytes[index] == star {
                index += 1
                retry = (index, place)
            } else if index < bytes.count,
                bytes[index] == mark || isSame(bytes[index], text, place, caselessUntil: end)
            {
                index += 1
                place += 1
            } else if let last = retry {
                index = last.index
                place = last.place + 1
                retry = (index, place)
            } else {
                return false
            }
        }
        return bytes[index...].allSatisfy { $0 == star }
    }

    /// Compares a byte of the pattern with a byte of the address, which is lower-case in scheme and host. There, an
    /// upper-case letter of the pattern also matches its lower-case letter.
    private static func isSame(_ byte: UInt8, _ text: ArraySlice<UInt8>, _ place: Int, caselessUntil end: Int) -> Bool {
        let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
        return text[place] == (isUpper && place < end ? byte | 0x20 : byte)
    }
}
