import HTTP
import Support

/// What an entry is found by: the address it came from, or a name of the user's.
///
/// A key says what it is, so that no two kinds can meet: an address (`https://…`), a local file (`file:///…`), a name
/// of the user's own (`key:my-photo`), a GIF of an exercise (`exercisedb:0001@180`), or what else a tool makes.
/// Keys are compared by their bytes, as their entries' files are named.
public struct CacheKey: Sendable, Hashable, CustomStringConvertible {
    public let text: String
    /// What the entry's file is called: 32 hexadecimal digits of the key's SHA-256.
    let name: String

    /// The longest key that is taken: the longest address, with each value in its query replaced by a digest.
    static let byteLimit = 128 << 10
    /// The longest name of the user's own.
    static let nameLimit = 1024
    private static let namePrefix = "key:"

    /// The normalised address: without user name, password and fragment, and without the query parameters named in
    /// `ignoring`.
    ///
    /// The values of parameters that look like secrets (`token`, `api_key`, …) are replaced by the beginning of their
    /// SHA-256: the key is stored and shown, but `?key=mars` and `?key=moon` may as well be two pictures. A key that is
    /// read as an address again stays as it is.
    public init(url: WebURL, ignoringQuery ignoring: Set<String> = []) {
        self.init(Self.concealed((ignoring.isEmpty ? url : url.removingQueryItems(named: ignoring)).normalized))
    }

    /// The key of a name that the user or a record gives: `key:` and the name, whatever it looks like, so that it never
    /// takes the place of an address. A name that begins with `key:` is such a key already. Throws
    /// `CacheFailure.badKey` unless the name has 1 to 1024 bytes and no control characters.
    public init(name: String) throws {
        let name = name.hasPrefix(Self.namePrefix) ? String(name.dropFirst(Self.namePrefix.count)) : name
        self.init(Self.namePrefix + (try Self.checked(name, byteLimit: Self.nameLimit)))
    }

    /// A key as a tool made or printed it. Throws `CacheFailure.badKey` unless it has 1 to 131,072 bytes and no control
    /// characters.
    public init(printed text: String) throws {
        self.init(try Self.checked(text, byteLimit: Self.byteLimit))
    }

    private init(_ text: String) {
        self.text = text
        name = String(decoding: SHA256.hex(of: text).utf8.prefix(32), as: UTF8.self)
    }

    private static func checked(_ text: String, byteLimit: Int) throws -> String {
        guard let text = text.utf8Path else { throw CacheFailure.badKey(reason: "it is not UTF-8") }
        if text.isEmpty { throw CacheFailure.badKey(reason: "it is empty") }
        if text.utf8.count > byteLimit { throw CacheFailure.badKey(reason: "it has more than \(byteLimit) bytes") }
        if text.hasControlCharacters { throw CacheFailure.badKey(reason: "it has control characters") }
        return text
    }

    /// Whether the text looks like a key as it is printed that is not an address.
    public static func isPrintedKey(_ text: String) -> Bool {
        [namePrefix, "file:///", "exercisedb:"].contains(where: text.hasPrefix)
    }

    /// A key as it was printed that is not an address; nil for any other text.
    init?(argument text: String) throws {
        if text.hasPrefix(Self.namePrefix) {
            try self.init(name: text)
        } else if text.hasPrefix("file:///") {
            // Also as people write it, and as it was printed before its bytes were encoded.
            try self.init(printed: "file://" + PercentEncoding.completed(path: Array(text.pathBytes.dropFirst(7))))
        } else if text.hasPrefix("exercisedb:") {
            try self.init(printed: text)
        } else {
            return nil
        }
    }

    /// Returns the keys that a name may mean where something is looked up: the key that it was printed as, since a
    /// listing's keys lead back to its entries, or else the user's own. Throws `CacheFailure.badKey`.
    static func meant(by name: String) throws -> [CacheKey] {
        if let key = try CacheKey(argument: name) ?? (name.hasScheme ? CacheKey(printed: name) : nil) {
            let own = try? CacheKey(name: name)
            return [key] + [own].compactMap(\.self).filter { $0 != key }
        }
        return [try CacheKey(name: name)]
    }

    public static func == (a: CacheKey, b: CacheKey) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    public var description: String { text }

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
