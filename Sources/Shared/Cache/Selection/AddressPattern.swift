/// A pattern over addresses and keys: with `*` (any text) and `?` (one character) a glob that must match from end to
/// end, else a text that must stand somewhere within. Case counts, as in paths.
///
/// A glob is tried against the whole address, the address without its scheme, and the path, so that
/// `https://example.org/*`, `example.org/private/*` and `*.gif` all say what they seem to.
public struct AddressPattern: Sendable, Hashable {
    public let text: String

    /// Nil for the empty text, which would match everything.
    public init?(_ text: String) {
        if text.isEmpty { return nil }
        self.text = text
    }

    public func matches(_ address: String) -> Bool {
        guard isGlob else { return address.contains(text) }
        let pattern = Array(text.unicodeScalars)
        return AddressParts(address).forms.contains { Self.matches(Array($0.unicodeScalars), pattern) }
    }

    private var isGlob: Bool { text.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") } }

    /// Where a `*` turns out to stand for too little, it is given one character more, and what was tried behind it is
    /// tried again. Only the last `*` ever needs that, so the cost is the product of both lengths at worst.
    private static func matches(_ text: [Unicode.Scalar], _ pattern: [Unicode.Scalar]) -> Bool {
        var place = 0
        var wanted = 0
        var retry: (wanted: Int, place: Int)?
        while place < text.count {
            if wanted < pattern.count, pattern[wanted] == "*" {
                retry = (wanted + 1, place)
                wanted += 1
            } else if wanted < pattern.count, pattern[wanted] == "?" || pattern[wanted] == text[place] {
                wanted += 1
                place += 1
            } else if let last = retry {
                retry = (last.wanted, last.place + 1)
                (wanted, place) = (last.wanted, last.place + 1)
            } else {
                return false
            }
        }
        return pattern[wanted...].allSatisfy { $0 == "*" }
    }
}

/// An address cut into parts as a text, since keys of the user's own look like addresses only at times (RFC 3986 §3).
struct AddressParts {
    let whole: String
    /// Behind `://`; the whole where there is none.
    let withoutScheme: Substring
    /// Without user name, brackets of an IPv6 address, and port; nil where there is no authority.
    let host: Substring?
    /// From the first slash behind the authority on, without query and fragment; nil where there is no authority.
    let path: Substring?

    init(_ address: String) {
        whole = address
        guard let mark = address.firstRange(of: "://") else {
            (withoutScheme, host, path) = (address[...], nil, nil)
            return
        }
        withoutScheme = address[mark.upperBound...]
        let authority = withoutScheme.prefix { !"/?#".contains($0) }
        path = withoutScheme[authority.endIndex...].prefix { !"?#".contains($0) }
        let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        host = place.hasPrefix("[") ? place.dropFirst().prefix { $0 != "]" } : place.prefix { $0 != ":" }
    }

    /// What a glob may match: each form once.
    var forms: [Substring] { host == nil ? [whole[...]] : [whole[...], withoutScheme, path ?? ""] }
}

extension String {
    fileprivate func firstRange(of text: String) -> Range<String.Index>? {
        guard let first = text.first else { return nil }
        var start = startIndex
        while let found = self[start...].firstIndex(of: first) {
            if self[found...].hasPrefix(text) { return found..<index(found, offsetBy: text.count) }
            start = index(after: found)
        }
        return nil
    }
}
