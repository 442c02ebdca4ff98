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
    /// the host is an address; opens no connection. Empty where the name is not found within `limit`. Throws
    /// `Cancelled`.
    public func judgedAddresses(of url: WebURL, limit: Duration = .seconds(5)) throws -> [JudgedAddress] {
        let addresses = try url.address.map { [$0] }
            ?? NameLookup.addresses(of: url.hostWithoutDot, limit: limit, interruption: interruption)
        return addresses.map { JudgedAddress(address: $0, verdict: addressGuard.verdict(on: $0)) }
    }
}
