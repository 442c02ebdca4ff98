import Libc

/// Conversions between strings and paths, which may contain any bytes.
///
/// To the system, a path is a sequence of bytes, nearly always UTF-8, but a `String` can contain only valid UTF-8. Each
/// byte that is not part of valid UTF-8 (a *foreign* byte) is represented by a private-use scalar (its *carrier*):
/// U+10FE80 for 0x80 up to U+10FEFF for 0xFF. (Python's `surrogateescape` uses surrogates, which a `String` cannot
/// contain either.) If a path contains a carrier, each byte of that scalar is replaced too, so that no two paths have
/// the same text.
///
/// Convert paths from the system, and arguments that may be paths, with `init(pathBytes:)` or `init(pathPointer:)`.
/// Pass paths to the system with `withPathPointer`. In between, handle the text like any other: a foreign byte is never
/// a slash, and carriers survive cutting and joining. Carriers must not leave the process in another way: see
/// `utf8Path` and `showingForeignBytes`. A path in UTF-8 stays unchanged, and costs only a scan of its bytes.
extension String {
    public init(pathBytes bytes: some Collection<UInt8>) {
        var text = String(decoding: bytes, as: UTF8.self)
        // Decoding turns invalid bytes into U+FFFD, which begins with EF. Carriers begin with F4. Both bytes are rare
        // in paths.
        let isPlain = text.withUTF8 { !ForeignByte.has(0xEF, in: $0) && !ForeignByte.has(0xF4, in: $0) }
        self = isPlain ? text : Self.carrying(Array(bytes))
    }

    /// Converts a NUL-terminated path from C.
    public init(pathPointer pointer: UnsafePointer<CChar>) {
        self.init(pathBytes: UnsafeRawBufferPointer(start: pointer, count: strlen(pointer)))
    }

    /// Converts the name of a directory entry.
    public init(nameIn entry: UnsafeMutablePointer<dirent>) {
        self = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(pathPointer: $0) }
        }
    }

    /// The bytes of the path.
    public var pathBytes: [UInt8] {
        guard hasForeignBytes else { return Array(utf8) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            if let byte = ForeignByte.byte(of: scalar) { bytes.append(byte) } else { bytes += UTF8.encode(scalar)! }
        }
        return bytes
    }

    public var hasForeignBytes: Bool {
        var text = self
        return text.withUTF8(ForeignByte.isAny)
    }

    /// Calls `body` with the path's bytes and a final NUL, valid only during the call.
    public func withPathPointer<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
        guard hasForeignBytes else { return try withCString(body) }
        return try (pathBytes + [0]).withUnsafeBytes { try body($0.baseAddress!.assumingMemoryBound(to: CChar.self)) }
    }

    /// The path up to and including its last slash; empty for a name without a slash.
    var folderPrefix: String { utf8.lastIndex(of: UInt8(ascii: "/")).map { String(self[...$0]) } ?? "" }

    /// The path as plain UTF-8, for other programs; nil if it is not UTF-8.
    public var utf8Path: String? { hasForeignBytes ? String(validating: pathBytes, as: UTF8.self) : self }

    /// Returns the longest prefix of whole characters whose path has at most `limit` bytes.
    public func cut(toBytes limit: Int) -> String {
        if utf8.count <= limit { return self }
        var rest = limit
        let kept = prefix { character in
            rest -= character.unicodeScalars.reduce(0) { $0 + (ForeignByte.byte(of: $1) == nil ? UTF8.width($1) : 1) }
            return rest >= 0
        }
        return String(kept)
    }

    /// The text with each foreign byte written as `\xNN`, for messages.
    public var showingForeignBytes: String {
        guard hasForeignBytes else { return self }
        var result = ""
        for scalar in unicodeScalars {
            result += ForeignByte.byte(of: scalar).map(ForeignByte.words) ?? String(scalar)
        }
        return result
    }

    private static func carrying(_ bytes: [UInt8]) -> String {
        var result = ""
        var parser = UTF8.ForwardParser()
        var rest = bytes.makeIterator()
        var place = 0
        func carry(_ count: Int) {
            for byte in bytes[place..<place + count] { result.unicodeScalars.append(ForeignByte.carrier(of: byte)) }
            place += count
        }
        while true {
            switch parser.parseScalar(from: &rest) {
            case .valid(let encoded):
                let scalar = UTF8.decode(encoded)
                if ForeignByte.byte(of: scalar) == nil {
                    result.unicodeScalars.append(scalar)
                    place += encoded.count
                } else {
                    carry(encoded.count)
                }
            case .error(let length): carry(length)
            case .emptyInput: return result
            }
        }
    }
}

/// Returns the absolute path with all links resolved (realpath(3)), or nil with `errno` set.
public func resolvedPath(_ path: String) -> String? {
    guard let found = path.withPathPointer({ realpath($0, nil) }) else { return nil }
    defer { free(found) }
    return String(pathPointer: found)
}

/// Returns the target of a symbolic link, or nil with `errno` set if it cannot be read.
func linkTarget(_ path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
        let count = path.withPathPointer { readlink($0, buffer.baseAddress!, buffer.count) }
        guard count >= 0 else { return nil }
        // `PATH_MAX` limits the length of a target. A target that fills the buffer may be truncated.
        guard count < buffer.count else {
            errno = ENAMETOOLONG
            return nil
        }
        return String(pathBytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
    }
}

/// A byte of a path that is not part of valid UTF-8, and the scalar that carries it.
enum ForeignByte {
    /// In UTF-8 all carriers begin with F4 8F and BA or BB.
    private static let carriers: ClosedRange<UInt32> = 0x10FE80...0x10FEFF

    static func carrier(of byte: UInt8) -> Unicode.Scalar { Unicode.Scalar(0x10FE00 + UInt32(byte))! }

    static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        carriers.contains(scalar.value) ? UInt8(truncatingIfNeeded: scalar.value) : nil
    }

    /// Whether a text of valid UTF-8 contains a carrier.
    static func isAny(in text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard has(0xF4, in: text), text.count > 3 else { return false }
        return (0..<text.count - 3).contains {
            text[$0] == 0xF4 && text[$0 + 1] == 0x8F && text[$0 + 2] & 0xFE == 0xBA
        }
    }

    static func has(_ byte: UInt8, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = text.baseAddress else { return false }
        return memchr(base, Int32(byte), text.count) != nil
    }

    /// Returns a byte as `\xNN`, for messages.
    static func words(for byte: UInt8) -> String { "\\x\(String(byte, radix: 16))" }
}
