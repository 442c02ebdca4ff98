import Support

/// Judges the hosts that a proxy connects to, since this process never dials their addresses. Looks up each name once
/// per run: in many networks only the proxy can look up external names, and an unanswered lookup takes seconds.
final class ProxiedHosts: Sendable {
    /// Returns the addresses of a name, or an empty array if the lookup fails or exceeds `limit`. Throws `Cancelled`.
    typealias Resolver =
        @Sendable (_ host: String, _ limit: Duration, _ interruption: Interruption) throws -> [IPAddress]

    private enum Lookup {
        case underway
        case done([IPAddress])
    }

    /// The maximum time for looking up a name that the proxy will look up too.
    static let lookupLimit: Duration = .seconds(2)
    /// The maximum number of cached names, which take less than a megabyte.
    static let nameLimit = 4096

    private let addressGuard: AddressGuard
    private let resolve: Resolver
    private let lookups = Monitor<[String: Lookup]>([:])

    init(addressGuard: AddressGuard, resolve: @escaping Resolver) {
        self.addressGuard = addressGuard
        self.resolve = resolve
    }

    /// Returns the address to send to the proxy instead of the URL's host, since a second lookup by libcurl might find
    /// a different address. Nil if the proxy receives the name.
    ///
    /// Throws `FetchFailure.blockedAddress` if the host is, or resolves to, a refused address, and for a local name
    /// (`isLocal`) that is not resolved here. Throws `FetchFailure.nameNotResolved` for other names without an address
    /// if the proxy accepts only addresses. Throws `Cancelled`.
    func judge(
        _ url: WebURL, over proxy: ProxyChoice, connectLimit: Duration, interruption: Interruption
    ) throws -> IPAddress? {
        guard addressGuard.judges, let resolution = proxy.nameResolution else { return nil }
        let addresses: [IPAddress]
        if let address = url.address {
            addresses = [address]
        } else {
            switch resolution {
            case .atProxyAlone: addresses = []
            case .atProxy:
                let limit = min(Self.lookupLimit, connectLimit)
                addresses = try self.addresses(of: url.hostWithoutDot, limit: limit, interruption)
            case .here: addresses = try self.addresses(of: url.hostWithoutDot, limit: connectLimit, interruption)
            }
        }
        for address in addresses {
            if case .refused(let kind) = addressGuard.verdict(on: address) {
                throw FetchFailure.blockedAddress(url: url, address: address, kind)
            }
        }
        if addresses.isEmpty, Self.isLocal(url.hostWithoutDot) {
            throw FetchFailure.blockedAddress(url: url, address: nil, .privateUse)
        }
        guard resolution == .here else { return nil }
        // Prefers IPv4, since SOCKS 4 cannot carry an IPv6 address.
        guard let address = addresses.first(where: \.isIPv4) ?? addresses.first else {
            throw FetchFailure.nameNotResolved(url: url)
        }
        return address
    }

    /// Looks up a name, or waits for another thread's lookup of that name.
    private func addresses(of host: String, limit: Duration, _ interruption: Interruption) throws -> [IPAddress] {
        let lookups = lookups
        let known: [IPAddress]? = try interruption.during(onCancel: { lookups.update { _ in } }) {
            try lookups.wait { all -> Result<[IPAddress]?, any Error>? in
                switch all[host] {
                case .done(let addresses): return .success(addresses)
                case .underway: return interruption.cause == nil ? nil : .failure(Cancelled())
                case nil:
                    if all.count >= Self.nameLimit { all.removeAll() }
                    all[host] = .underway
                    return .success(nil)
                }
            }.get()
        }
        if let known { return known }
        do {
            let addresses = try resolve(host, limit, interruption)
            lookups.update { $0[host] = .done(addresses) }
            return addresses
        } catch {
            lookups.update { $0[host] = nil }
            throw error
        }
    }

    /// Whether a name has no dot, or has a top-level domain reserved for private networks (RFC 6761, RFC 6762, RFC
    /// 8375, ICANN's `internal`, and the customary domains of RFC 6762 appendix G).
    static func isLocal(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: ".") else { return true }
        let top = name[name.index(after: dot)...]
        return ["localhost", "local", "internal", "intranet", "private", "corp", "home", "lan"].contains(top)
            || name == "home.arpa" || name.hasSuffix(".home.arpa")
    }
}
