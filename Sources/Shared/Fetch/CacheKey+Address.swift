import HTTP
import Store
import Support

extension CacheKey {
    /// The normalised address: without user name, password and fragment, and without the query parameters named in
    /// `ignoring`.
    ///
    /// Keyed digests replace the values of parameters that are likely secrets (`AddressSecrets`): the key is stored and
    /// shown, but `?key=mars` and `?key=moon` may be two pictures. Reading a key as an address returns the same key.
    /// Throws as `KeySecrets.digest` does, only for an address with a secret.
    ///
    /// - Parameter text: the text of the URL, from which an earlier version may have made another key; nil to ignore
    ///   such keys.
    public init(
        url: WebURL, readFrom text: String? = nil, ignoringQuery ignoring: Set<String> = [], secrets: KeySecrets
    ) throws {
        try self.init(url, text, ignoring) { try secrets.digest(of: $0, in: url.normalized) }
    }

    /// The key of an address without secrets, or of an address that is stored nowhere: the digests are valid in this
    /// process only.
    public init(url: WebURL, ignoringQuery ignoring: Set<String> = []) {
        // The random key of the process needs no file.
        self.init(url, nil, ignoring) { (try? KeySecrets.ofProcess.digest(of: $0, in: "")) ?? ("", false) }
    }

    private init(
        _ url: WebURL, _ written: String?, _ ignoring: Set<String>,
        _ digest: (Substring) throws -> (text: String, isLasting: Bool)
    ) rethrows {
        @Sendable func normalized(_ url: WebURL) -> String {
            (ignoring.isEmpty ? url : url.removingQueryItems(named: ignoring)).normalized
        }
        let address = normalized(url)
        var isLasting = true
        let text = try AddressSecrets.replacing(in: address) { value in
            if AddressSecrets.isDigest(value) { return String(value) }
            let digest = try digest(value)
            isLasting = digest.isLasting
            return AddressSecrets.digestPrefix + digest.text
        }
        let former: @Sendable () -> String? = {
            let former = Self.former(written.flatMap(url.former).map(normalized) ?? address)
            return former == text ? nil : former
        }
        self.init(address: text, former: former, isLasting: isLasting)
    }

    // MARK: Earlier keys

    /// The key that version 1.0.0 makes of the address: with plain digests, and with fewer names of secret parameters.
    /// Entries with such keys are still found.
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
