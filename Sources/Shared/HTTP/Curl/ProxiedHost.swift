/// Judges a host that a proxy will connect to, where no socket of ours shows its address.
struct ProxiedHost {
    /// The addresses of a name, as far as this machine can tell; empty where it cannot.
    typealias Resolver = (_ host: String) throws -> [IPAddress]

    let addressGuard: AddressGuard
    let resolve: Resolver

    /// Throws `blocked-address` where the host is, or resolves to, any address that the guard refuses.
    ///
    /// A name that this machine cannot resolve is left to the proxy, since behind one there often is no name service
    /// for the world outside; but not a name that only has a meaning inside a network.
    func judge(_ url: WebURL) throws {
        guard addressGuard.judges else { return }
        let addresses = try url.address.map { [$0] } ?? resolve(url.hostWithoutDot)
        for address in addresses {
            if case .refused(let kind) = addressGuard.verdict(on: address) {
                throw FetchFailure.blockedAddress(url: url, address: address, kind)
            }
        }
        if addresses.isEmpty, Self.isLocal(url.hostWithoutDot) {
            throw FetchFailure.blockedAddress(url: url, address: nil, .privateUse)
        }
    }

    /// Names without a dot, and those below the top-level names that are kept for networks' own use (RFC 6761,
    /// RFC 6762, RFC 8375, ICANN's `internal`, and the customary ones of RFC 6762 appendix G).
    static func isLocal(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: ".") else { return true }
        let top = name[name.index(after: dot)...]
        return ["localhost", "local", "internal", "intranet", "private", "corp", "home", "lan"].contains(top)
            || name == "home.arpa" || name.hasSuffix(".home.arpa")
    }
}
