import Support

/// The host of a URL: a name in lower-case ASCII, or an address.
struct Host {
    /// As written in a URL; IPv6 in brackets.
    let text: String
    let address: IPAddress?

    /// Parses a host. A name whose last label is a number must be an IPv4 address in a form of `inet_aton(3)` (WHATWG
    /// URL, *ends in a number*), so that no spelling of `127.0.0.1` passes as a name. Throws
    /// `WebURLFailure.blockedHost`, and `unmapped`.
    static func parse(_ bytes: ArraySlice<UInt8>) throws(WebURLFailure) -> Host {
        var refused: WebURLFailure { .blockedHost(String(decoding: bytes, as: UTF8.self)) }
        if bytes.first == UInt8(ascii: "[") {
            let inner = String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
            guard bytes.last == UInt8(ascii: "]"), let address = IPAddress(inner), !address.isIPv4
            else { throw refused }
            return Host(text: "[\(address)]", address: address)
        }
        guard let decoded = String(validating: PercentEncoding.decoded(bytes), as: UTF8.self) else { throw refused }
        let mapped: String?
        do { mapped = try InternationalName.ascii(decoded) } catch { throw .unmapped(error) }
        guard let name = mapped else { throw refused }
        let dot = UInt8(ascii: ".")
        let all = Array(name.utf8)
        let relative = all.last == dot ? all.dropLast() : all[...]
        let labels = relative.split(separator: dot, omittingEmptySubsequences: false)
        guard labels.allSatisfy({ !$0.isEmpty && $0.count <= 63 }), all.count <= 254, let last = labels.last else {
            throw refused
        }
        if isNumber(last) {
            guard let address = IPAddress(anyIPv4Form: relative) else { throw refused }
            return Host(text: address.description, address: address)
        }
        // Letters, digits and hyphens (RFC 1123 §2.1), and the underscore, which some servers' names contain.
        guard all.allSatisfy({ $0.isLetter || $0.isDigit || "-._".utf8.contains($0) }) else { throw refused }
        // `localhost` is this machine with and without a final dot (RFC 6761 §6.3), but not all resolvers accept the
        // dot.
        let isLocal = last.elementsEqual("localhost".utf8)
        return Host(text: isLocal ? String(decoding: relative, as: UTF8.self) : name, address: nil)
    }

    private static func isNumber(_ label: ArraySlice<UInt8>) -> Bool {
        if label.allSatisfy(\.isDigit) { return true }
        return label.starts(with: "0x".utf8) && label.dropFirst(2).allSatisfy { $0.hexDigitValue != nil }
    }
}
