/// The purpose of an address, according to IANA's special-purpose registries (RFC 6890 and its updates:
/// <https://www.iana.org/assignments/iana-ipv4-special-registry>, `…/iana-ipv6-special-registry`).
public enum AddressClass: String, Sendable, Hashable, CaseIterable {
    /// A public address: the only class that may be reached by default.
    case global
    case unspecified
    case loopback
    case privateUse = "private"
    case linkLocal = "link-local"
    /// RFC 6598: between a carrier and its customers.
    case carrierShared = "carrier-shared"
    /// An address from which cloud machines read their credentials.
    case metadata
    case multicast
    case broadcast
    case reserved
    case documentation
    case benchmarking
    /// RFC 4193.
    case uniqueLocal = "unique-local"
    /// RFC 3879: deprecated, but still routed in some networks.
    case siteLocal = "site-local"
    /// RFC 6666.
    case discard
    /// RFC 4843 and RFC 7343: identifiers of hosts, which have the form of addresses but are not routable.
    case orchid

    /// Classifies an address. An IPv6 address that embeds an IPv4 address has the class of the embedded address.
    public init(_ address: IPAddress) {
        if address.isIPv4 {
            self = Self.ofIPv4(address.bytes)
        } else if let inner = address.embeddedIPv4 {
            self = Self.ofIPv4(inner.bytes)
        } else {
            self = Self.ofIPv6(address)
        }
    }

    private static func ofIPv4(_ bytes: [UInt8]) -> AddressClass {
        switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
        case (0, 0, 0, 0): .unspecified
        case (0, _, _, _): .reserved  // RFC 791 §3.2: this network
        case (10, _, _, _), (172, 16...31, _, _), (192, 168, _, _): .privateUse  // RFC 1918
        case (100, 100, 100, 200): .metadata  // Alibaba Cloud
        case (100, 64...127, _, _): .carrierShared  // RFC 6598
        case (127, _, _, _): .loopback  // RFC 1122 §3.2.1.3
        case (169, 254, 169, 254), (169, 254, 170, 2), (169, 254, 170, 23): .metadata  // AWS and most other clouds
        case (168, 63, 129, 16): .metadata  // Azure, a public address
        case (192, 0, 0, 192): .metadata  // Oracle Cloud, older
        case (169, 254, _, _): .linkLocal  // RFC 3927
        case (192, 0, 0, _): .reserved  // RFC 6890 §2.1: protocol assignments
        case (192, 0, 2, _), (198, 51, 100, _), (203, 0, 113, _): .documentation  // RFC 5737
        case (192, 88, 99, _): .reserved  // RFC 7526: former 6to4 relays
        case (198, 18...19, _, _): .benchmarking  // RFC 2544
        case (224...239, _, _, _): .multicast  // RFC 5771
        case (255, 255, 255, 255): .broadcast  // RFC 8190
        case (240...255, _, _, _): .reserved  // RFC 1112 §4
        default: .global
        }
    }

    private static func ofIPv6(_ address: IPAddress) -> AddressClass {
        if address.bytes.allSatisfy({ $0 == 0 }) { return .unspecified }
        for (range, kind) in ipv6Ranges where range.contains(address) { return kind }
        // IANA assigns global unicast addresses only from 2000::/3 (registry "IPv6 Address Space"). The remaining
        // addresses are refused as reserved, although RFC 4291 §2.4 classes them as global unicast too.
        return address.bytes[0] & 0xE0 == 0x20 ? .global : .reserved
    }

    /// A block comes before any block that contains it.
    private static let ipv6Ranges: [(AddressRange, AddressClass)] = [
        ("::1/128", .loopback),
        ("fd00:ec2::254/128", .metadata),  // AWS, for instances
        ("fd00:ec2::23/128", .metadata),  // AWS, for containers
        ("fd20:ce::254/128", .metadata),  // Google Cloud
        ("fd00:42::42/128", .metadata),  // Scaleway
        ("fc00::/7", .uniqueLocal),
        ("fe80::/10", .linkLocal),
        ("fec0::/10", .siteLocal),
        ("ff00::/8", .multicast),
        ("100::/64", .discard),
        ("100:0:0:1::/64", .reserved),  // RFC 9780: a dummy prefix
        ("2001:2::/48", .benchmarking),
        ("2001:10::/28", .orchid),
        ("2001:20::/28", .orchid),
        ("2001:db8::/32", .documentation),
        ("2001::/23", .reserved),  // RFC 2928: protocol assignments
        ("3fff::/20", .documentation),  // RFC 9637
        ("5f00::/16", .reserved),  // RFC 9602: segment routing
    ].compactMap { text, kind in AddressRange(text).map { ($0, kind) } }

    /// The class as a phrase for messages, such as `a loopback address`.
    public var phrase: String {
        switch self {
        case .global: "a public address"
        case .unspecified: "an unspecified address"
        case .metadata: "a cloud metadata address"
        case .carrierShared: "a carrier's shared address"
        case .orchid: "an ORCHID (RFC 7343), which is not routable"
        default: "a \(rawValue) address"
        }
    }
}

extension IPAddress {
    /// The IPv4 address that a gateway or the system would use in place of this IPv6 address, or nil.
    public var embeddedIPv4: IPAddress? {
        guard !isIPv4 else { return nil }
        func starts(_ prefix: [UInt8]) -> Bool { bytes.starts(with: prefix) }
        let last = IPAddress(bytes[12], bytes[13], bytes[14], bytes[15])
        let zeros = [UInt8](repeating: 0, count: 10)
        // Mapped, ::ffff:a.b.c.d (RFC 4291 §2.5.5.2).
        if starts(zeros + [0xFF, 0xFF]) { return last }
        // Translated, ::ffff:0:a.b.c.d (RFC 2765 §2.1).
        if starts([UInt8](repeating: 0, count: 8) + [0xFF, 0xFF, 0, 0]) { return last }
        // Compatible, ::a.b.c.d (RFC 4291 §2.5.5.1), except :: and ::1.
        if starts(zeros + [0, 0]) { return last.bytes[..<3] == [0, 0, 0] && last.bytes[3] < 2 ? nil : last }
        // NAT64, 64:ff9b::/96 (RFC 6052 §2.1).
        if starts([0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8)) { return last }
        // Local-use NAT64, 64:ff9b:1::/48 (RFC 8215). The operator chooses a prefix length of RFC 6052 §2.2, and a
        // shorter prefix puts the IPv4 address further left. The position is certain only if zeros precede the address.
        if starts([0, 0x64, 0xFF, 0x9B, 0, 1]) {
            return bytes[6..<12].allSatisfy { $0 == 0 } && last.bytes[1...] != [0, 0, 0] ? last : nil
        }
        // 6to4, 2002:a.b.c.d::/48 (RFC 3056 §2).
        if starts([0x20, 0x02]) { return IPAddress(bytes[2], bytes[3], bytes[4], bytes[5]) }
        // Teredo, 2001:0::/32: the client's address with every bit inverted (RFC 4380 §4).
        if starts([0x20, 0x01, 0, 0]) { return IPAddress(~bytes[12], ~bytes[13], ~bytes[14], ~bytes[15]) }
        return nil
    }
}
