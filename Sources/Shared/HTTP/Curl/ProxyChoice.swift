import Support

/// The route to a server: direct, or through a proxy.
public enum ProxyChoice: Sendable, Hashable {
    case direct
    /// The value of the environment variable, with or without a scheme, possibly with a password.
    case proxy(String)

    /// Chooses as curl does. For `http`, uses `http_proxy` (only in lower case, since a visitor of a CGI script can set
    /// `HTTP_PROXY`); for `https`, `https_proxy` or `HTTPS_PROXY`; otherwise `all_proxy` or `ALL_PROXY`. Uses no proxy
    /// if `no_proxy` or `NO_PROXY` lists the host. An empty variable is treated as unset.
    public init(for url: WebURL, environment: Environment) {
        func value(_ names: String...) -> String? { names.lazy.compactMap { environment[$0] }.first }
        let own = url.scheme == .http ? value("http_proxy") : value("https_proxy", "HTTPS_PROXY")
        guard let proxy = own ?? value("all_proxy", "ALL_PROXY") else {
            self = .direct
            return
        }
        let isExempt = value("no_proxy", "NO_PROXY").map { Self.list($0, names: url) } ?? false
        self = isExempt ? .direct : .proxy(proxy)
    }

    /// The place where server names are looked up.
    enum NameResolution {
        /// By libcurl: the proxy receives addresses.
        case here
        /// By the proxy. This machine also looks up names to judge their addresses.
        case atProxy
        /// Only by the proxy.
        case atProxyAlone
    }

    /// The resolution that libcurl derives from the proxy's scheme. Nil without a proxy.
    var nameResolution: NameResolution? {
        guard case .proxy(let text) = self else { return nil }
        guard let scheme = text.prefix(before: "://") else { return .atProxy }
        return switch scheme.lowercased() {
        case "socks", "socks4", "socks5": .here
        case "socks4a", "socks5h": .atProxyAlone
        default: .atProxy
        }
    }

    /// Whether only the proxy may look up names (`socks5h`, `socks4a`).
    public var leavesNamesToProxy: Bool { nameResolution == .atProxyAlone }

    /// Whether a `no_proxy` list contains the URL's host. The list is `*` for all hosts, or names (with all names below
    /// them), addresses and CIDR blocks, separated by commas or white space.
    static func list(_ list: String, names url: WebURL) -> Bool {
        if list == "*" { return true }
        return list.split { $0 == "," || $0 == " " || $0 == "\t" }.contains { item in
            var item = item
            if item.hasPrefix("["), item.hasSuffix("]") { item = item.dropFirst().dropLast() }
            if let address = url.address { return AddressRange(item)?.contains(address) ?? false }
            if item.hasPrefix(".") { item = item.dropFirst() }
            if item.hasSuffix(".") { item = item.dropLast() }
            guard !item.isEmpty else { return false }
            let name = InternationalName.comparable(item)
            return url.hostWithoutDot == name || url.hostWithoutDot.hasSuffix("." + name)
        }
    }
}
