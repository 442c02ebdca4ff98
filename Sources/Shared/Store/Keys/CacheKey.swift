import Support

/// What an entry is found by: the address it came from, or a name of the user's.
///
/// A key says what it is, so that no two kinds can meet: an address (`https://…`), a local file (`file:///…`), a name
/// of the user's own (`key:my-photo`), a GIF of an exercise (`exercisedb:0001@180`), a placeholder for GIFs
/// (`gif-placeholder:…`), or a damaged file that was taken all the same (`truncated:file:///…`).
/// Keys are compared by their bytes, as their entries' files are named.
public struct CacheKey: Sendable, Hashable, CustomStringConvertible {
    public let text: String
    /// What the entry's file is called: 32 hexadecimal digits of the key's SHA-256.
    package let name: String
    /// The key that an earlier version made of the same address; nil if it is the same. An entry may still have it.
    /// Computed on demand: only a miss needs it.
    var former: String? { makeFormer?() }
    private let makeFormer: (@Sendable () -> String?)?
    /// Whether the key is the same in every process: see `KeySecrets`.
    let isLasting: Bool

    /// The longest key that is taken: the longest address, with each value in its query replaced by a digest.
    static let byteLimit = 128 << 10
    /// The longest name of the user's own.
    static let nameLimit = 1024
    package static let namePrefix = "key:"
    package static let placeholderPrefix = "gif-placeholder:"
    package static let truncatedPrefix = "truncated:"
    /// How keys begin, besides addresses and files, that are looked up as they are printed.
    private static let toolsPrefixes = ["exercisedb:", placeholderPrefix, truncatedPrefix]

    /// The key of a name that the user or a record gives: `key:` and the name, whatever it looks like, so that it never
    /// takes the place of an address. A name that begins with `key:` is such a key already. Throws
    /// `CacheFailure.badKey` unless the name has 1 to 1024 bytes and no control characters.
    public init(name: String) throws {
        let name = name.removing(bytePrefix: Self.namePrefix) ?? name
        self.init(address: Self.namePrefix + (try Self.checked(name, byteLimit: Self.nameLimit)))
    }

    /// The key of an address in its normal form, without secrets.
    ///
    /// - Parameter former: returns the key that an earlier version made of the same address, if it differs.
    package init(address: String, former: (@Sendable () -> String?)? = nil, isLasting: Bool = true) {
        text = address
        makeFormer = former
        self.isLasting = isLasting
        name = String(decoding: SHA256.hex(of: address).utf8.prefix(32), as: UTF8.self)
    }

    /// A key as a tool made or printed it. Throws `CacheFailure.badKey` unless it has 1 to 131,072 bytes and no control
    /// characters.
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

    /// Whether the text looks like a key as it is printed that is not an address.
    public static func isPrintedKey(_ text: String) -> Bool {
        [namePrefix, "file:///"].contains { text.utf8.starts(with: $0.utf8) } || isOfTool(text)
    }

    /// Whether the text looks like a key that a tool has made up.
    package static func isOfTool(_ text: String) -> Bool { toolsPrefixes.contains { text.utf8.starts(with: $0.utf8) } }

    public static func == (a: CacheKey, b: CacheKey) -> Bool { a.text.hasSameBytes(as: b.text) }

    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    public var description: String { text }

    /// What the file of a variant is called. No key has the NUL in between, so a variant never meets an original.
    func variantName(_ options: String) -> String { String(SHA256.hex(of: "\(text)\0\(options)").prefix(32)) }

}
