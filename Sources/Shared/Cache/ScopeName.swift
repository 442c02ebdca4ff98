import Support

/// The name of a scope: a part of the cache that shares nothing with the others, such as one user's pictures.
public struct ScopeName: Sendable, Hashable, CustomStringConvertible {
    public let text: String
    /// The folder below `scopes/` that holds this scope's files: 32 hexadecimal digits of the name's SHA-256. A name
    /// may be any text, so it never becomes a path itself; 128 bits never collide by chance.
    let folder: String

    /// Takes 1 to 255 bytes of UTF-8 without control characters, else throws `CacheFailure.badScope`. 255 bytes are
    /// what a name may have anywhere else, too (NAME_MAX).
    public init(_ text: String) throws {
        if text.isEmpty { throw CacheFailure.badScope(reason: "it is empty") }
        if text.utf8.count > 255 { throw CacheFailure.badScope(reason: "it has more than 255 bytes") }
        if text.hasControlCharacters { throw CacheFailure.badScope(reason: "it has control characters") }
        self.init(checked: text)
    }

    private init(checked text: String) {
        self.text = text
        folder = String(SHA256.hex(of: text).prefix(32))
    }

    /// The scope of everyone who never named one.
    public static let standard = ScopeName(checked: "default")

    public static func == (a: ScopeName, b: ScopeName) -> Bool { a.folder == b.folder }
    public func hash(into hasher: inout Hasher) { hasher.combine(folder) }

    public var description: String { text }
}

extension String {
    /// Whether there are C0 or C1 controls or DEL (Unicode category Cc).
    var hasControlCharacters: Bool {
        unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }
}
