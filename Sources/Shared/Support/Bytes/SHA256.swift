import CNettle

/// The SHA-256 digest (FIPS 180-4) of bytes that arrive in pieces.
public struct SHA256: Sendable {
    private var context = sha256_ctx()

    public init() { cnettle_sha256_init(&context) }

    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty, let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
        cnettle_sha256_update(&context, bytes.count, base)
    }

    /// Returns the digest of all bytes so far, and resets the state.
    private mutating func finishAsBytes() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        cnettle_sha256_digest(&context, &digest)
        return digest
    }

    /// Returns the first eight bytes of the digest as a big-endian number, and resets the state.
    public mutating func finishAsNumber() -> Int64 { finishAsBytes().prefix(8).reduce(0) { $0 << 8 | Int64($1) } }

    /// Returns the digest of all bytes so far as 64 lower-case hexadecimal digits, and resets the state.
    public mutating func finish() -> String { finishAsBytes().hexDigits }

    static func bytes(of bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.finishAsBytes()
    }

    /// Returns the digest of `bytes` as 64 lower-case hexadecimal digits.
    public static func hex(of bytes: [UInt8]) -> String {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.finish()
    }

    /// Returns the digest of the UTF-8 bytes of `text` as 64 lower-case hexadecimal digits.
    public static func hex(of text: String) -> String {
        var hash = SHA256()
        var text = text
        text.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
        return hash.finish()
    }
}

extension [UInt8] {
    /// Two lower-case hexadecimal digits for each byte.
    public var hexDigits: String {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value }
        return String(unsafeUninitializedCapacity: 2 * count) { text in
            for (index, byte) in enumerated() {
                text[2 * index] = digit(byte >> 4)
                text[2 * index + 1] = digit(byte & 15)
            }
            return 2 * count
        }
    }
}

/// HMAC-SHA-256 (RFC 2104): authenticates bytes with a key.
public enum HMAC {
    /// Returns the signature of `bytes` as 64 lower-case hexadecimal digits.
    public static func hex(of bytes: [UInt8], key: [UInt8]) -> String {
        // A key longer than a block is replaced by its digest; a shorter key is padded with zeros.
        let block = 64
        var key = key
        if key.count > block { key = SHA256.bytes(of: key) }
        key += [UInt8](repeating: 0, count: block - key.count)
        let inner = SHA256.bytes(of: key.map { $0 ^ 0x36 } + bytes)
        return SHA256.hex(of: key.map { $0 ^ 0x5C } + inner)
    }

    /// Whether `signature` is the signature of `bytes`. Compares in constant time.
    public static func matches(_ signature: String, _ bytes: [UInt8], key: [UInt8]) -> Bool {
        let (given, right) = (Array(signature.utf8), Array(hex(of: bytes, key: key).utf8))
        guard given.count == right.count else { return false }
        return zip(given, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
