import Support

/// The name of remote content: a digest of its scope and key, which reveals neither.
public struct RemoteName: Sendable, Hashable {
    /// 64 hexadecimal digits.
    public let digest: String

    /// Part of every digest, so that a later layout has other names.
    private static let layout = "apod-tools remote 1"

    private init(_ scope: ScopeName, _ kind: String, _ parts: [String]) {
        // No part contains NUL: scopes and keys have no control characters, and the other parts are digests, constants
        // and the names of metadata.
        digest = SHA256.hex(of: ([Self.layout, scope.text, kind] + parts).joined(separator: "\0"))
    }

    /// The original with this key.
    public init(originalOf key: CacheKey, in scope: ScopeName) { self.init(scope, "original", [key.text]) }

    /// The variant with this row name, made from an original with this SHA-256.
    init(variant name: String, of sha256: String, in scope: ScopeName) {
        self.init(scope, "variant", [name, sha256])
    }

    public init(metadata name: String, in collection: String, of scope: ScopeName) {
        self.init(scope, "metadata", [collection, name])
    }

    /// The list of a scope's remote content.
    public init(listOf scope: ScopeName) { self.init(scope, "list", []) }

    /// Parses 64 hexadecimal digits in lower case.
    public init?(digest: String) {
        guard digest.isSHA256 else { return nil }
        self.digest = digest
    }
}

extension String {
    /// Whether this is a SHA-256 as 64 hexadecimal digits in lower case.
    public var isSHA256: Bool { utf8.count == 64 && utf8.isHexadecimal }
}
