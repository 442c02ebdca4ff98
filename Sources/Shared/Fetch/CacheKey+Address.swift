import HTTP
import Store
import Support

extension CacheKey {
    /// The normalised address: without user name, password and fragment, and without the query parameters named in
    /// `ignoring`.
    ///
    /// The values of parameters that look like secrets (`token`, `api_key`, …) are replaced by the beginning of their
    /// SHA-256: the key is stored and shown, but `?key=mars` and `?key=moon` may as well be two pictures. A key that is
    /// read as an address again stays as it is.
    public init(url: WebURL, ignoringQuery ignoring: Set<String> = []) {
        self.init(
            address: Self.concealed((ignoring.isEmpty ? url : url.removingQueryItems(named: ignoring)).normalized))
    }

    /// The address with the values of secret parameters replaced.
    private static func concealed(_ url: String) -> String {
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return url }
        let items = url[url.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false).map { item in
            guard let equals = item.firstIndex(of: "="), WebURL.isSecret(queryName: String(item[..<equals])) else {
                return String(item)
            }
            let value = item[item.index(after: equals)...]
            return value.isEmpty || isConcealed(value)
                ? String(item) : item[...equals] + concealment + SHA256.hex(of: String(value)).prefix(16)
        }
        return url[...mark] + items.joined(separator: "&")
    }

    private static let concealment = "sha256-"

    private static func isConcealed(_ value: Substring) -> Bool {
        let digits = value.dropFirst(concealment.count)
        return value.hasPrefix(concealment) && digits.utf8.count == 16
            && digits.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }
}
