import Support

/// An address of a host, and whether it may be connected to.
public struct JudgedAddress: Sendable, Hashable {
    public let address: IPAddress
    public let verdict: AddressGuard.Verdict
}

extension HTTPClient {
    /// Looks up which addresses a fetch of `url` would dial now, and judges them as the fetch would. Asks the name
    /// service, unless the host is an address; opens no connection. Returns none if the name is not found within
    /// `limit`, and nil if only a proxy may look it up. Throws `Cancelled`, and `SystemFailure` if no thread can be
    /// started.
    public func judgedAddresses(of url: WebURL, limit: Duration = .seconds(5)) throws -> [JudgedAddress]? {
        guard url.address != nil || looksUp(url) else { return nil }
        let addresses =
            try url.address.map { [$0] }
            ?? NameLookup.addresses(of: url.hostWithoutDot, limit: limit, interruption: interruption)
        return addresses.map { JudgedAddress(address: $0, verdict: addressGuard.verdict(on: $0)) }
    }
}
