/// Finds probable secrets in addresses and conceals them.
///
/// The name of a parameter in the query or the path determines whether its value is a secret (`SecretName`). Only the
/// server of the address receives a secret.
///
/// Messages and metrics also conceal values and path segments that look random (`RandomText`). Keys and records keep
/// random path segments, since many paths of pictures contain digests.
public enum AddressSecrets {
    /// Replaces a secret everywhere except in keys.
    public static let mark = "***"
    /// The prefix of the digest that replaces a secret in keys.
    public static let digestPrefix = "sha256-"

    /// Whether a value is a digest that replaces a secret in a key: the prefix, and 32 hexadecimal digits of an
    /// HMAC-SHA-256 or, in keys of earlier versions, 16 digits of a plain SHA-256.
    public static func isDigest(_ value: Substring) -> Bool {
        let digits = value.utf8.dropFirst(digestPrefix.utf8.count)
        return value.hasPrefix(digestPrefix) && [16, 32].contains(digits.count)
            && digits.allSatisfy("0123456789abcdef".utf8.contains)
    }

    /// Whether a parameter of this name, percent-encoded or not, probably contains a secret.
    public static func isSecret(name: some StringProtocol) -> Bool {
        let name = Array(name.utf8)
        return SecretName.matches(name.contains(percent) ? PercentEncoding.decoded(name[...], isForm: true) : name)
    }

    /// Whether an address has a parameter with a secret name and a value.
    public static func areIn(_ address: String) -> Bool { !values(in: address).isEmpty }

    /// Returns the values of parameters with secret names, in order. A value is also secret if it is an address with
    /// such a parameter. Omits empty values. Returns an empty array for a text that is not an address.
    public static func values(in address: String) -> [Substring] {
        // A fast path: most addresses have no parameter.
        guard address.utf8.contains(equals), let parts = Parts(address) else { return [] }
        return secretValues(parts, depth: 0)
    }

    public static func replacing(in address: String, _ replacement: (Substring) throws -> String) rethrows -> String {
        let values = values(in: address)
        return values.isEmpty ? address : try replacing(values, in: address[...], replacement)
    }

    /// Conceals the web addresses in a message: replaces secret values, random-looking values and random-looking path
    /// segments by `***`, and removes fragments.
    public static func concealed(in message: String) -> String {
        var result = ""
        var rest = message[...]
        while let colon = rest.slashesOfAuthority {
            var end =
                rest[colon.upperBound...].utf8.firstIndex { $0 <= 0x20 || "\"<>`".utf8.contains($0) } ?? rest.endIndex
            while end > colon.upperBound, case let last = rest.utf8.index(before: end),
                ".,:;!)".utf8.contains(rest.utf8[last])
            {
                end = last
            }
            let isOfWeb = ["http", "https"].contains { rest[..<colon.lowerBound].lowercasedSuffix($0) }
            let address = String(rest[colon.lowerBound..<end])
            result += rest[..<colon.lowerBound] + (isOfWeb ? concealed(address: address) : address)
            rest = rest[end...]
        }
        return result.isEmpty ? message : result + rest
    }

    private static let equals = UInt8(ascii: "=")
    private static let percent = UInt8(ascii: "%")

    private struct Parts {
        /// The segments of the path, then the items of the query.
        var items: [Substring] = []
        /// The start of the fragment, or the end of the address.
        let end: String.Index

        /// Returns nil for a text without an authority.
        init?(_ text: String) {
            guard let colon = text.slashesOfAuthority else { return nil }
            let bytes = text.utf8
            let start = bytes[colon.upperBound...].firstIndex { "/?#\\".utf8.contains($0) } ?? text.endIndex
            end = bytes[start...].firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
            let query = bytes[start..<end].firstIndex(of: UInt8(ascii: "?")) ?? end
            items = bytes[start..<query].split(separator: UInt8(ascii: "/")).map { Substring($0) }
            if query < end {
                items += bytes[bytes.index(after: query)..<end].split(separator: UInt8(ascii: "&")).map(Substring.init)
            }
        }
    }

    private static func secretValues(_ parts: Parts, depth: Int) -> [Substring] {
        parts.items.compactMap { item in
            // `;` separates parameters in paths (RFC 3986 §3.3) and in old queries. A secret value may also contain
            // `;`, so the value extends to the end of the item.
            for parameter in item.utf8.split(separator: UInt8(ascii: ";")) {
                guard let place = parameter.firstIndex(of: equals) else { continue }
                let isNamed = isSecret(name: Substring(parameter[..<place]))
                let value = item[item.utf8.index(after: place)...]
                if !value.isEmpty, isNamed || holdsSecret(value, depth: depth) { return value }
            }
            return nil
        }
    }

    /// Whether a value is an address with a secret, percent-encoded or not, or the mark that replaced such an address.
    private static func holdsSecret(_ value: Substring, depth: Int) -> Bool {
        if value == mark { return true }
        guard depth < 3, value.utf8.contains(UInt8(ascii: ":")) || value.utf8.contains(percent) else { return false }
        let text = String(decoding: PercentEncoding.decoded(Array(value.utf8)[...], isForm: true), as: UTF8.self)
        guard let parts = Parts(text) else { return false }
        return !secretValues(parts, depth: depth + 1).isEmpty
    }

    private static func concealed(address: String) -> String {
        guard let parts = Parts(address) else { return address }
        let secrets = secretValues(parts, depth: 0).filter { !isDigest($0) }
        let random = parts.items.compactMap { item -> Substring? in
            let isSecret = secrets.contains { $0.startIndex >= item.startIndex && $0.endIndex == item.endIndex }
            let value = item.utf8.firstIndex(of: equals).map { item[item.utf8.index(after: $0)...] } ?? item
            if isSecret || isDigest(value) { return nil }
            let stem = value[..<beginOfEnding(value)]
            return RandomText.isIn(PercentEncoding.decoded(Array(stem.utf8)[...])) ? stem : nil
        }
        let hidden = (secrets + random).sorted { $0.startIndex < $1.startIndex }
        return replacing(hidden, in: address[..<parts.end]) { _ in mark }
    }

    /// Returns the start of a file name's extension, such as `.jpeg`, or the end of a name without an extension.
    private static func beginOfEnding(_ name: Substring) -> String.Index {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")),
            (2...6).contains(name.utf8.distance(from: dot, to: name.endIndex))
        else { return name.endIndex }
        return dot
    }

    private static func replacing(
        _ values: [Substring], in address: Substring, _ replacement: (Substring) throws -> String
    ) rethrows -> String {
        var result = ""
        var place = address.startIndex
        for value in values {
            result += try address[place..<value.startIndex] + replacement(value)
            place = value.endIndex
        }
        return result + address[place...]
    }
}

extension Substring {
    fileprivate func lowercasedSuffix(_ text: String) -> Bool {
        utf8.suffix(text.utf8.count).elementsEqual(text.utf8) { $0 | 0x20 == $1 }
    }
}
