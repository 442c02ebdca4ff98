import Support

/// Judges hosts that a proxy will connect to, whose addresses no socket of this process shows. Each name is looked up
/// only once in a run: in many networks, only the proxy can look up names of the outside world, and a name service that
/// is silent must not delay every exchange.
final class ProxiedHosts: Sendable {
    /// Returns the addresses of a name if this machine finds them within `limit`; else none. Throws `Cancelled`.
    typealias Resolver =
        @Sendable (
            _ host: String, _ limit: Duration, _ interruption: Interruption
        ) throws -> [IPAddress]

    private enum Lookup {
        case underway
        case done([IPAddress])
    }

    /// How long to look up a name that the proxy will look up itself.
    static let lookupLimit: Duration = .seconds(2)
    /// How many names are remembered: more than most runs meet, in less than a megabyte.
    static let nameLimit = 4096

    private let addressGuard: AddressGuard
    private let resolve: Resolver
    private let lookups = Monitor<[String: Lookup]>([:])

    init(addressGuard: AddressGuard, resolve: @escaping Resolver) {
        self.addressGuard = addressGuard
        self.resolve = resolve
    }

    /// Returns the address that a proxy must be given in place of the URL's host, since libcurl would look the name up
    /// again and might find another one; nil if the proxy is given the name.
    ///
    /// Throws `FetchFailure.blockedAddress` if the host is, or resolves to, an address that the guard refuses. A name
    /// that this machine cannot resolve, or must not, is left to the proxy, unless it only has a meaning inside a
    /// network. Throws `FetchFailure.nameNotResolved` if the proxy takes no names, and `Cancelled`.
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
            case .here:
                addresses = try self.addresses(of: url.hostWithoutDot, limit: connectLimit, interruption)
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
        // SOCKS 4 has no room for an IPv6 address.
        guard let address = addresses.first(where: \.isIPv4) ?? addresses.first else {
            throw FetchFailure.nameNotResolved(url: url)
        }
        return address
    }

    /// Looks a name up, or waits for another thread that does.
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

    /// Whether a name has no dot, or lies below a top-level name that is reserved for private networks (RFC 6761, RFC
    /// 6762, RFC 8375, ICANN's `internal`, and the customary ones of RFC 6762 appendix G).
    static func isLocal(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: ".") else { return true }
        let top = name[name.index(after: dot)...]
        return ["localhost", "local", "internal", "intranet", "private", "corp", "home", "lan"].contains(top)
            || name == "home.arpa" || name.hasSuffix(".home.arpa")
    }
}
