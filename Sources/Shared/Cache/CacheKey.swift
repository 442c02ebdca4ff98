import HTTP
import Support

/// What an entry is found by: the address it came from, or a word of the user's.
public struct CacheKey: Sendable, Hashable, CustomStringConvertible {
    public let text: String

    /// The longest key that is taken: what fits into an address that servers and proxies pass on, with room to spare.
    public static let byteLimit = 65_536

    /// The normalised address: without user name, password and fragment, and without the query parameters named in
    /// `ignoring`.
    ///
    /// The values of parameters that look like secrets (`token`, `api_key`, …) are replaced by the beginning of their
    /// SHA-256: the key is stored and shown, but `?key=mars` and `?key=moon` may as well be two pictures. A key that is
    /// read as an address again stays as it is.
    public init(url: WebURL, ignoringQuery ignoring: Set<String> = []) {
        text = Self.concealed((ignoring.isEmpty ? url : url.removingQueryItems(named: ignoring)).normalized)
    }

    /// A key of the user's own: 1 to 65,536 bytes without control characters, else `CacheFailure.badKey`.
    public init(custom text: String) throws {
        if text.isEmpty { throw CacheFailure.badKey(reason: "it is empty") }
        if text.utf8.count > Self.byteLimit { throw CacheFailure.badKey(reason: "it has more than 65536 bytes") }
        if text.hasControlCharacters { throw CacheFailure.badKey(reason: "it has control characters") }
        self.text = text
    }

    public var description: String { text }

    /// What the entry's file is called: 32 hexadecimal digits of the key's SHA-256.
    var name: String { String(SHA256.hex(of: text).prefix(32)) }

    /// What the file of a variant is called. No key has the NUL in between, so a variant never meets an original.
    func variantName(_ options: String) -> String { String(SHA256.hex(of: "\(text)\0\(options)").prefix(32)) }

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
