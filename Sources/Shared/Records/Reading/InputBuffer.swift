import Support

/// The part of the input that has been read and not yet been used, shared by the readers of lines and of records.
///
/// Memory: one read's worth, more only while its user leaves more than that unused.
final class InputBuffer {
    private let file: File?
    /// Called before reading on may have to wait.
    private let willWait: () throws -> Void
    /// What is not yet used lies from `start` to `end`; the rest is room for more.
    private(set) var bytes: [UInt8]
    var start = 0
    private(set) var end: Int
    /// The line on which `start` lies, counted from 1. A reader that moves `start` past a line feed adds to it.
    var line = 1
    private var atEnd: Bool

    /// As much as a pipe holds by default on Linux.
    private static let readSize = 64 << 10

    init(file: File, willWait: @escaping () throws -> Void) {
        self.file = file
        self.willWait = willWait
        bytes = [UInt8](repeating: 0, count: 2 * Self.readSize)
        end = 0
        atEnd = false
    }

    init(bytes: [UInt8]) {
        file = nil
        willWait = {}
        self.bytes = bytes
        end = bytes.count
        atEnd = true
    }

    var unused: ArraySlice<UInt8> { bytes[start..<end] }

    /// Returns the byte `offset` behind `start`, after reading on if need be; nil at the end. Throws `SystemFailure`
    /// when reading fails.
    func peek(at offset: Int = 0) throws -> UInt8? {
        while start + offset >= end {
            if try !fill() { return nil }
        }
        return bytes[start + offset]
    }

    /// Moves `start` to the next such byte, or to the end, and returns whether there is one. Throws `SystemFailure`
    /// when reading fails.
    func skip(to byte: UInt8) throws -> Bool {
        while true {
            if let place = unused.firstIndex(of: byte) {
                start = place
                return true
            }
            start = end
            if try !fill() { return false }
        }
    }

    /// Passes over a UTF-8 byte-order mark, which some programs write in spite of RFC 8259 §8.1.
    func skipByteOrderMark() throws {
        if try peek() == 0xEF, try peek(at: 1) == 0xBB, try peek(at: 2) == 0xBF { start += 3 }
    }

    /// Passes over everything that is left.
    func skipAll() { (start, atEnd) = (end, true) }

    /// Reads more; returns false at the end. Throws `SystemFailure` when reading fails.
    func fill() throws -> Bool {
        guard !atEnd, let file else { return false }
        try willWait()
        if bytes.count - end < Self.readSize {
            let kept = start - indent
            bytes.withUnsafeMutableBytes { bytes in
                bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[kept..<end]))
            }
            start -= kept
            end -= kept
            // Doubled only for a line or record that fills it, so that copying stays linear.
            if bytes.count - end < Self.readSize { bytes += [UInt8](repeating: 0, count: bytes.count) }
        }
        let got = try bytes.withUnsafeMutableBytes { bytes in
            try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[end...]))
        }
        end += got
        atEnd = got == 0
        return got > 0
    }

    // MARK: Indentation

    /// Eight blanks for each level that the scanner allows: no program indents deeper, and a gigabyte of blanks must
    /// not be kept.
    private static let deepestIndent = 8 * JSONScanner.maxDepth

    /// How many blanks come right before `start`. They are kept when the buffer moves: they say how deep a broken
    /// record was indented.
    var indent: Int {
        let limit = max(start - Self.deepestIndent, 0)
        var first = start
        while first > limit, Self.isIndent(bytes[first - 1]) { first -= 1 }
        return start - first
    }

    static func isIndent(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
