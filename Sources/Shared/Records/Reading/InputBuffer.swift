import Support

/// Bytes that were read but not yet consumed, shared by `LineReader` and `RecordReader`.
///
/// Uses 128 KiB, and grows for a longer line or record. Methods throw `SystemFailure` if reading fails.
final class InputBuffer {
    private let file: File?
    /// Called before a read that may block.
    private let willWait: () throws -> Void
    /// The buffer. Its bytes at `start..<end` are not yet consumed.
    private(set) var bytes: [UInt8]
    var start = 0
    private(set) var end: Int
    /// The position of the buffer's first byte in the input.
    private var position = 0
    /// The line number of `start`, counted from 1. A reader that moves `start` past a line feed increments `line`.
    var line = 1
    private var atEnd: Bool

    /// The default capacity of a pipe on Linux.
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

    /// The number of consumed bytes, which is the position of `start` in the input.
    var consumed: Int { position + start }

    /// Returns the byte at `start + offset`, reading more if needed, or nil at the end of the input.
    func peek(at offset: Int = 0) throws -> UInt8? {
        while start + offset >= end {
            if try !fill() { return nil }
        }
        return bytes[start + offset]
    }

    /// Moves `start` to the next occurrence of `byte` and returns true, or moves it to the end of the input and returns
    /// false.
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

    /// Skips a UTF-8 byte-order mark, which some programs write despite RFC 8259 §8.1.
    func skipByteOrderMark() throws {
        if try peek() == 0xEF, try peek(at: 1) == 0xBB, try peek(at: 2) == 0xBF { start += 3 }
    }

    func skipAll() { (start, atEnd) = (end, true) }

    /// Reads more bytes. Returns false at the end of the input.
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
            position += kept
            // A single line or record fills the buffer. Doubling keeps the cost of copying linear.
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

    /// The maximum of `indent`: eight spaces per nesting level. No program indents deeper, and `fill` must not keep a
    /// gigabyte of spaces.
    private static let deepestIndent = 8 * JSONScanner.maxDepth

    /// The number of spaces and tabs directly before `start`. `fill` keeps these bytes, because `RecordReader` uses the
    /// indentation of a broken record to find the next record.
    var indent: Int {
        let limit = max(start - Self.deepestIndent, 0)
        var first = start
        while first > limit, Self.isIndent(bytes[first - 1]) { first -= 1 }
        return start - first
    }

    static func isIndent(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
