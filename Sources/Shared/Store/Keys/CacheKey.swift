import Support

/// The key of an entry: the address of its source, or a name chosen by the user.
///
/// The prefix distinguishes the kinds: an address (`https://…`), a local file (`file:///…`), a user's name
/// (`key:my-photo`), a GIF of an exercise (`exercisedb:0001@180`), a placeholder for GIFs (`gif-placeholder:…`), or a
/// truncated file that was stored on request (`truncated:file:///…`). Keys are compared byte by byte, like file names.
public struct CacheKey: Sendable, Hashable, CustomStringConvertible {
    public let text: String
    /// The name of the row and the file: 32 hexadecimal digits of the key's SHA-256.
    package let name: String
    /// The key that earlier versions derived from the same address, if it differs; an entry may still have that key.
    /// Computed on demand, because only a miss needs it.
    var legacyKey: String? { makeFormer?() }
    private let makeFormer: (@Sendable () -> String?)?
    /// Whether the key is the same in every process: see `KeySecrets`.
    let isSameInAllProcesses: Bool

    /// The maximum length of a key in bytes: the longest address, with each value in its query replaced by a digest.
    static let byteLimit = 128 << 10
    /// The maximum length of a user's name in bytes.
    static let nameLimit = 1024
    package static let namePrefix = "key:"
    package static let placeholderPrefix = "gif-placeholder:"
    package static let truncatedPrefix = "truncated:"
    /// The prefixes of keys that tools derive, other than addresses and files.
    private static let toolsPrefixes = ["exercisedb:", placeholderPrefix, truncatedPrefix]

    /// The key for a name from the user or a record: `key:` followed by the name, so that it never equals an address. A
    /// name that already begins with `key:` is used unchanged. Throws `CacheFailure.badKey` unless the name has 1 to
    /// 1024 bytes and no control characters.
    public init(name: String) throws {
        let name = name.removing(bytePrefix: Self.namePrefix) ?? name
        self.init(address: Self.namePrefix + (try Self.checked(name, byteLimit: Self.nameLimit)))
    }

    /// The key of an address in its normal form, without secrets.
    ///
    /// - Parameter legacyKey: returns the key that earlier versions derived from the same address, if it differs.
    package init(address: String, legacyKey: (@Sendable () -> String?)? = nil, isSameInAllProcesses: Bool = true) {
        text = address
        makeFormer = legacyKey
        self.isSameInAllProcesses = isSameInAllProcesses
        name = String(decoding: SHA256.hex(of: address).utf8.prefix(32), as: UTF8.self)
    }

    /// Creates a key from the text that a command printed. Throws `CacheFailure.badKey` unless it has 1 to 131,072
    /// bytes and no control characters.
    public init(printed text: String) throws {
        self.init(address: try Self.checked(text, byteLimit: Self.byteLimit))
    }

    private static func checked(_ text: String, byteLimit: Int) throws -> String {
        guard let text = text.utf8Path else { throw CacheFailure.badKey(reason: "it is not UTF-8") }
        if text.isEmpty { throw CacheFailure.badKey(reason: "it is empty") }
        if text.utf8.count > byteLimit { throw CacheFailure.badKey(reason: "it has more than \(byteLimit) bytes") }
        if text.hasControlCharacters { throw CacheFailure.badKey(reason: "it has control characters") }
        return text
    }

    /// Whether a text has the format of a printed key other than a web address.
    public static func isPrintedKey(_ text: String) -> Bool {
        [namePrefix, "file:///"].contains { text.utf8.starts(with: $0.utf8) } || isOfTool(text)
    }

    /// Whether a text has the format of a key that a tool derives.
    package static func isOfTool(_ text: String) -> Bool { toolsPrefixes.contains { text.utf8.starts(with: $0.utf8) } }

    public static func == (a: CacheKey, b: CacheKey) -> Bool { a.text.hasSameBytes(as: b.text) }

    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    public var description: String { text }

    /// Returns the name of a variant's row and file. Never equals the name of an original, because no key contains NUL.
    func variantName(_ options: String) -> String { String(SHA256.hex(of: "\(text)\0\(options)").prefix(32)) }
}
