import Support

/// The route to a server: direct, or through a proxy. Pure.
public enum ProxyChoice: Sendable, Hashable {
    case direct
    /// The proxy as the environment has it, with or without a scheme, possibly with a password.
    case proxy(String)

    /// Chooses as curl does: by the URL's scheme, `http_proxy` (in lower case only, since a CGI script's `HTTP_PROXY`
    /// is set by the visitor) or `https_proxy` and `HTTPS_PROXY`; then `all_proxy` and `ALL_PROXY`; but no proxy if
    /// `no_proxy` or `NO_PROXY` names the host. An empty variable counts as unset.
    public init(for url: WebURL, environment: Environment) {
        func value(_ names: String...) -> String? {
            for name in names {
                if let value = environment[name] { return value }
            }
            return nil
        }
        let own = url.scheme == .http ? value("http_proxy") : value("https_proxy", "HTTPS_PROXY")
        guard let proxy = own ?? value("all_proxy", "ALL_PROXY") else {
            self = .direct
            return
        }
        let isExempt = value("no_proxy", "NO_PROXY").map { Self.list($0, names: url) } ?? false
        self = isExempt ? .direct : .proxy(proxy)
    }

    /// Where the names of servers are looked up.
    enum NameResolution {
        /// By libcurl: the proxy is given addresses.
        case here
        /// By the proxy.
        case atProxy
        /// By the proxy only: the user wants no other lookup.
        case atProxyAlone
    }

    /// Follows from the proxy's scheme, which libcurl reads in the same way; nil without a proxy.
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

    /// Whether a `no_proxy` list names the URL's host. The list is `*` for all hosts, or names, which also stand for
    /// all names below them, addresses and CIDR blocks, separated by commas or blanks.
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
