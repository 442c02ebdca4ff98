import HTTP
import Store
import Support

extension CacheKey {
    /// The key of an address: its normalized form, without user name, password and fragment, and without the query
    /// parameters in `ignoring`.
    ///
    /// Keyed digests replace the values of parameters that are likely secrets (`AddressSecrets`), because the key is
    /// stored and shown. The values cannot simply be removed: `?key=mars` and `?key=moon` may be two pictures. Parsing
    /// a key as an address yields the same key. For an address with a secret, throws the errors of `KeySecrets.digest`.
    ///
    /// - Parameter text: the text from which the URL was parsed, to derive the key of an earlier version; nil to derive
    ///   that key from the normalized address.
    public init(
        url: WebURL, readFrom text: String? = nil, ignoringQuery ignoring: Set<String> = [], secrets: KeySecrets
    ) throws {
        try self.init(url, text, ignoring) { try secrets.digest(of: $0, in: url.normalized) }
    }

    /// The key of an address that has no secrets or is not stored. Digests of secrets are the same only within this
    /// process.
    public init(url: WebURL, ignoringQuery ignoring: Set<String> = []) {
        // Cannot throw: the random key of the process needs no file.
        self.init(url, nil, ignoring) { (try? KeySecrets.ofProcess.digest(of: $0, in: "")) ?? ("", false) }
    }

    private init(
        _ url: WebURL, _ written: String?, _ ignoring: Set<String>,
        _ digest: (Substring) throws -> (text: String, isSameInAllProcesses: Bool)
    ) rethrows {
        @Sendable func normalized(_ url: WebURL) -> String {
            (ignoring.isEmpty ? url : url.removingQueryItems(named: ignoring)).normalized
        }
        let address = normalized(url)
        var isSameInAllProcesses = true
        let text = try AddressSecrets.replacing(in: address) { value in
            if AddressSecrets.isDigest(value) { return String(value) }
            let digest = try digest(value)
            isSameInAllProcesses = digest.isSameInAllProcesses
            return AddressSecrets.digestPrefix + digest.text
        }
        let former: @Sendable () -> String? = {
            let former = Self.former(written.flatMap(url.former).map(normalized) ?? address)
            return former == text ? nil : former
        }
        self.init(address: text, legacyKey: former, isSameInAllProcesses: isSameInAllProcesses)
    }

    // MARK: Earlier keys

    /// The key that the pre-release of 2026-11-24 derived from the address, with plain digests and a shorter list of
    /// secret parameters. Entries with such keys are still found.
    private static func former(_ address: String) -> String {
        guard let mark = address.utf8.firstIndex(of: UInt8(ascii: "?")),
            address.utf8[mark...].contains(UInt8(ascii: "="))
        else { return address }
        let items = address[address.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
        let concealed = items.map { item -> Substring in
            guard let equals = item.firstIndex(of: "="), wasSecret(item[..<equals].lowercased()) else { return item }
            let value = item[item.index(after: equals)...]
            return value.isEmpty || AddressSecrets.isDigest(value)
                ? item : item[...equals] + AddressSecrets.digestPrefix + SHA256.hex(of: String(value)).prefix(16)
        }
        return address[...mark] + concealed.joined(separator: "&")
    }

    private static func wasSecret(_ name: String) -> Bool {
        let parts = ["token", "signature", "secret", "passw", "pwd", "credential", "auth", "jwt", "hmac", "accesskey"]
        if name.hasSuffix("apikey") || parts.contains(where: name.contains(text:)) { return true }
        let last = name.split { !$0.isLetter && !$0.isNumber }.last ?? ""
        return ["sig", "key", "pass"].contains(last)
    }
}
