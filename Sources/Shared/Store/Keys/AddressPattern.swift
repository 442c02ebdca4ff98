/// A way to name many addresses at once: a part of them, or a glob such as `https://*.example/private/*`.
///
/// * `*` is any run of characters, also none, and slashes are characters like any other; `?` is exactly one. All else
///   means itself.
/// * Without either, a pattern matches wherever an address contains it.
/// * With one of them, it must match the whole of the address in its normal form (`WebURL.normalized`), or of that
///   without scheme and `//`, or of its path alone, which is without the query.
/// * Of a key of the user's own, it must match the whole, or what follows `key:`.
/// * Letter case counts but in scheme and host. Blanks and characters beyond ASCII stand as addresses have them,
///   percent-encoded.
///
/// Matching takes at most the product of both lengths, whatever the pattern.
public struct AddressPattern: Sendable, Hashable, CustomStringConvertible {
    /// The pattern as it was written.
    public let description: String
    private let bytes: [UInt8]

    /// The longest pattern that is taken; nobody writes a longer one by hand.
    static let byteLimit = 4096

    /// Nil if the text is empty, longer than 4096 bytes, or has control characters.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= Self.byteLimit, !text.hasControlCharacters else { return nil }
        description = text
        bytes = text.pathBytes.flatMap { byte in
            byte > 0x20 && byte < 0x7F
                ? [byte] : [UInt8(ascii: "%"), Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]]
        }
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
    private static let star = UInt8(ascii: "*")
    private static let mark = UInt8(ascii: "?")

    private var isGlob: Bool { bytes.contains { $0 == Self.star || $0 == Self.mark } }

    /// Whether an address in its normal form, such as an entry's key or a `file` address, matches.
    public func matches(_ address: String) -> Bool {
        let address = Array(address.utf8)
        // Where the part ends that is written in either case: behind the host.
        var hostEnd = 0
        var hostStart = 0
        if let colon = address.firstIndex(of: UInt8(ascii: ":")), address[colon...].starts(with: "://".utf8) {
            hostStart = colon + 3
            hostEnd = address[hostStart...].firstIndex { $0 == UInt8(ascii: "/") || $0 == Self.mark } ?? address.count
        }
        guard isGlob else { return isContained(in: address, caselessUntil: hostEnd) }
        if matches(address[...], caselessUntil: hostEnd) { return true }
        if hostStart == 0 {
            return address.starts(with: "key:".utf8) && matches(address[4...], caselessUntil: hostEnd)
        }
        let pathEnd = address[hostEnd...].firstIndex(of: Self.mark) ?? address.count
        return matches(address[hostStart...], caselessUntil: hostEnd)
            || matches(address[hostEnd..<pathEnd], caselessUntil: hostEnd)
    }

    private func isContained(in address: [UInt8], caselessUntil end: Int) -> Bool {
        guard bytes.count <= address.count else { return false }
        return (0...address.count - bytes.count).contains { start in
            bytes.indices.allSatisfy { Self.isSame(bytes[$0], address[...], start + $0, caselessUntil: end) }
        }
    }

    /// Whether all of `text` matches. Only the last star is ever tried again: whatever an earlier one could take more,
    /// the last one can take too.
    private func matches(_ text: ArraySlice<UInt8>, caselessUntil end: Int) -> Bool {
        var place = text.startIndex
        var index = 0
        var retry: (index: Int, place: Int)?
        while place < text.endIndex {
            if index < bytes.count, bytes[index] == Self.star {
                index += 1
                retry = (index, place)
            } else if index < bytes.count,
                bytes[index] == Self.mark || Self.isSame(bytes[index], text, place, caselessUntil: end)
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
        return bytes[index...].allSatisfy { $0 == Self.star }
    }

    /// Scheme and host of an address are in lower case.
    private static func isSame(
        _ byte: UInt8, _ text: ArraySlice<UInt8>, _ place: Int, caselessUntil end: Int
    ) -> Bool {
        let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
        return text[place] == (isUpper && place < end ? byte | 0x20 : byte)
    }
}
