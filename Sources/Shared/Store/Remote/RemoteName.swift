import Support

/// What a thing is called in the remote: a digest of its scope and its key, which says nothing about either.
public struct RemoteName: Sendable, Hashable {
    /// 64 hexadecimal digits.
    public let digest: String

    /// What is taken into every digest, so that a later layout never meets this one.
    private static let layout = "apod-tools remote 1"

    private init(_ scope: ScopeName, _ kind: String, _ parts: [String]) {
        // No part has a NUL: scopes and keys have no control characters, the others are digests and constants.
        digest = SHA256.hex(of: ([Self.layout, scope.text, kind] + parts).joined(separator: "\0"))
    }

    /// The original that a scope has under a key.
    public init(originalOf key: CacheKey, in scope: ScopeName) { self.init(scope, "original", [key.text]) }

    /// A variant, by the name of its row, of an original with this content.
    init(variant name: String, of sha256: String, in scope: ScopeName) {
        self.init(scope, "variant", [name, sha256])
    }

    /// A row of metadata.
    public init(metadata name: String, in collection: String, of scope: ScopeName) {
        self.init(scope, "metadata", [collection, name])
    }

    /// The list of all that a scope has in the remote.
    public init(listOf scope: ScopeName) { self.init(scope, "list", []) }

    /// A name as the remote has it; nil for anything but 64 hexadecimal digits in lower case.
    public init?(digest: String) {
        guard digest.isSHA256 else { return nil }
        self.digest = digest
    }
}

extension String {
    /// Whether this is 64 hexadecimal digits in lower case, as `SHA256.finish` writes them.
    public var isSHA256: Bool { utf8.count == 64 && utf8.isHexadecimal }
}
