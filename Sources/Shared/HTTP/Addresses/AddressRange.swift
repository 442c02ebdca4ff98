import Support

/// A block of addresses in CIDR notation, such as `10.0.0.0/8` or `fc00::/7` (RFC 4632 §3.1, RFC 4291 §2.3).
public struct AddressRange: Sendable, Hashable, CustomStringConvertible {
    /// The first address; the bits after the prefix are zero.
    public let network: IPAddress
    public let prefixLength: Int

    /// Returns nil if the prefix is longer than the address.
    public init?(_ address: IPAddress, prefixLength: Int) {
        guard prefixLength >= 0, prefixLength <= address.bytes.count * 8 else { return nil }
        let masked = address.bytes.enumerated().map { index, byte in
            byte & ~(UInt8.max >> max(prefixLength - index * 8, 0))
        }
        guard let network = IPAddress(bytes: masked) else { return nil }
        self.network = network
        self.prefixLength = prefixLength
    }

    /// Parses `ADDRESS/LENGTH`, or an address without a length, which is a block of a single address.
    public init?(_ text: some StringProtocol) {
        let halves = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = halves.first, let address = IPAddress(first) else { return nil }
        guard halves.count == 2 else {
            self.init(address, prefixLength: address.bytes.count * 8)
            return
        }
        guard halves[1].utf8.count <= 3, let length = Int(digits: halves[1]) else { return nil }
        self.init(address, prefixLength: length)
    }

    public func contains(_ address: IPAddress) -> Bool {
        AddressRange(address, prefixLength: prefixLength)?.network == network
    }

    public var description: String { "\(network)/\(prefixLength)" }
}
