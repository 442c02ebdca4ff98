import HTTP
import Store
import Support

/// The store for a picture, according to the policy for its address.
public enum Storage: Sendable {
    case cache(CacheStore)
    case ephemeral(EphemeralStore)
}

extension Caches {
    /// Returns the storage for the picture at an address.
    public func storage(for url: WebURL, scope: String? = nil) throws -> Storage {
        try storage(policy(for: url.normalized), scope: scope)
    }

    /// Returns the storage for the picture at a normalized address or a `file` address.
    public func storage(for address: @autoclosure () throws -> String, scope: String? = nil) throws -> Storage {
        try storage(policy(for: address()), scope: scope)
    }

    /// Returns the storage for files made from a picture. If the picture is ephemeral or in memory, these files are
    /// never stored on the disk.
    ///
    /// - Parameter address: the source of the picture; nil if the file at `path` is the source.
    public func storage(
        forVariantsOf path: String, address: String?, isEphemeral: Bool, scope: String? = nil
    ) throws -> Storage {
        if isEphemeral { return try storage(.disabled, scope: scope) }
        let paths = [path] + [resolvedPath(path)].compactMap(\.self)
        func isAny(_ body: (RuntimePlaces, String) -> Bool) -> Bool {
            places.contains { place in paths.contains { body(place, $0) } }
        }
        if isAny({ $0.isEphemeral($1) }) { return try storage(.disabled, scope: scope) }
        let policy = try policy(for: try address ?? CacheKey.ofFile(path).text)
        if policy == .enabled, isAny({ $0.memoryFolder(of: $1) != nil }) { return try storage(.memory, scope: scope) }
        return try storage(policy, scope: scope)
    }

    /// Returns the storage for the placeholder of a picture with these addresses. The strictest of their policies
    /// applies.
    public func storage(forStandInOf addresses: [WebURL], scope: String? = nil) throws -> Storage {
        let policies = addresses.isEmpty ? [settings.policies.standard] : addresses.map { policy(for: $0.normalized) }
        return try storage([.disabled, .memory].first(where: policies.contains) ?? .enabled, scope: scope)
    }

    /// Returns the storage for pictures with this policy.
    public func storage(_ policy: Policy, scope: String? = nil) throws -> Storage {
        switch policy {
        case .enabled, .memory: .cache(try cache(inMemory: policy == .memory, scope: scope))
        case .disabled: .ephemeral(try ephemeralStore(scope: scope))
        }
    }
}
