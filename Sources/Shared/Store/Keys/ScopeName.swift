import Support

/// The name of a scope. A scope is a separate part of the cache, for example for the pictures of a single user.
public struct ScopeName: Sendable, Hashable, CustomStringConvertible {
    public let text: String
    /// 32 hexadecimal digits of the name's SHA-256, used in paths, because the name may be any text. 128 bits make
    /// collisions implausible.
    package let hash: String

    /// Throws `CacheFailure.badScope` unless the text is 1 to 255 bytes (NAME_MAX) of UTF-8 without control characters.
    public init(_ text: String) throws {
        if text.isEmpty { throw CacheFailure.badScope(reason: "it is empty") }
        if text.utf8.count > 255 { throw CacheFailure.badScope(reason: "it has more than 255 bytes") }
        if text.hasForeignBytes { throw CacheFailure.badScope(reason: "it is not UTF-8") }
        if text.hasControlCharacters { throw CacheFailure.badScope(reason: "it has control characters") }
        self.init(checked: text)
    }

    private init(checked text: String) {
        self.text = text
        hash = String(SHA256.hex(of: text).prefix(32))
    }

    /// The folder below `scopes/` for a generation. Generations have separate folders, so that entries stored after a
    /// purge are not mixed with files that await removal.
    func folder(generation: Int64) -> String { generation == 0 ? hash : "\(hash)/g\(generation)" }

    /// The current scope until another scope is chosen.
    public static let standard = ScopeName(checked: "default")

    public static func == (a: ScopeName, b: ScopeName) -> Bool { a.hash == b.hash }
    public func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    public var description: String { text }
}

extension String {
    /// Whether the text contains C0 or C1 controls or DEL (Unicode category Cc).
    package var hasControlCharacters: Bool {
        unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }
}
