import Libc
import Support

public enum NameLookup {
    /// Returns the addresses of `host`, or an empty array if the lookup fails or takes longer than `limit`. Throws
    /// `Cancelled`, and `SystemFailure` if no thread can be started.
    ///
    /// `getaddrinfo` cannot be cancelled, so it runs on a detached thread, which accesses only `result`.
    public static func addresses(of host: String, limit: Duration, interruption: Interruption) throws -> [IPAddress] {
        let result = Monitor<(addresses: [IPAddress], isDone: Bool)>(([], false))
        try Thread.start {
            let found = lookUp(host)
            result.update { $0 = (found, true) }
        }.detach()
        return try interruption.during(onCancel: { result.update { $0.isDone = true } }) {
            let addresses = result.wait(atMost: limit) { $0.isDone ? $0.addresses : nil }
            try interruption.check()
            return addresses ?? []
        }
    }

    private static func lookUp(_ host: String) -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var result: [IPAddress] = []
        var entry = list
        while let info = entry?.pointee {
            if let name = info.ai_addr, let address = IPAddress(name) { result.append(address) }
            entry = info.ai_next
        }
        return result
    }
}

extension IPAddress {
    /// Returns nil for other address families. `name` must point to a complete address of its family.
    fileprivate init?(_ name: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(name)
        switch Int32(name.pointee.sa_family) {
        case AF_INET:
            let address = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            self.init(bytes: withUnsafeBytes(of: address) { [UInt8]($0) })
        case AF_INET6:
            let address = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            self.init(bytes: withUnsafeBytes(of: address) { [UInt8]($0) })
        default: return nil
        }
    }
}
