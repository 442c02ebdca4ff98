import Support

/// An address of a host, and whether it may be connected to.
public struct JudgedAddress: Sendable, Hashable {
    public let address: IPAddress
    public let verdict: AddressGuard.Verdict

    public init(address: IPAddress, verdict: AddressGuard.Verdict) {
        self.address = address
        self.verdict = verdict
    }
}

extension HTTPClient {
    /// Looks up what a fetch of `url` would dial now, and judges it as the fetch would. Asks the name service, unless
    /// the host is an address; opens no connection. Empty if the name is not found within `limit`, nil if a proxy alone
    /// may look it up. Throws `Cancelled`.
    public func judgedAddresses(of url: WebURL, limit: Duration = .seconds(5)) throws -> [JudgedAddress]? {
        guard url.address != nil || looksUp(url) else { return nil }
        let addresses =
            try url.address.map { [$0] }
            ?? NameLookup.addresses(of: url.hostWithoutDot, limit: limit, interruption: interruption)
        return addresses.map { JudgedAddress(address: $0, verdict: addressGuard.verdict(on: $0)) }
    }
}
