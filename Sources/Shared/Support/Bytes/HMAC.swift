/// HMAC-SHA-256 (RFC 2104): says that somebody who has the key vouches for bytes.
public enum HMAC {
    /// The signature as 64 lower-case hexadecimal digits.
    public static func hex(of bytes: [UInt8], key: [UInt8]) -> String {
        // A key that is longer than a block is replaced by its digest; a shorter one is filled up with zeros.
        var key = key
        if key.count > block { key = SHA256.bytes(of: key) }
        key += [UInt8](repeating: 0, count: block - key.count)
        let inner = SHA256.bytes(of: key.map { $0 ^ 0x36 } + bytes)
        return SHA256.hex(of: key.map { $0 ^ 0x5C } + inner)
    }

    private static let block = 64

    /// Whether a text is the signature of these bytes. Takes the same time wherever the first difference is.
    public static func matches(_ signature: String, _ bytes: [UInt8], key: [UInt8]) -> Bool {
        let (given, right) = (Array(signature.utf8), Array(hex(of: bytes, key: key).utf8))
        guard given.count == right.count else { return false }
        return zip(given, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
