/// Decompresses the pixels of a GIF image from pieces of its data (GIF89a appendix F).
///
/// Like giflib, treats any undefined code as the next code to be defined, so that more of a damaged picture is decoded.
public struct LZWDecoder {
    public enum State {
        /// `ended` after the end code, `damaged` after an invalid code.
        case open, ended, damaged
    }

    public private(set) var state = State.open
    private let clear: Int
    /// The width of the next code in bits.
    private var width: Int
    /// The code that the current code defines. The first code after a clear code defines no code; `next` is then
    /// `clear` + 1.
    private var next: Int
    private var previous = LZWDecoder.undefined
    /// The first pixel of the previous code.
    private var first: UInt8 = 0
    private var bits: UInt = 0
    private var bitCount = 0
    private let tables = Tables()
    /// The start, in `Tables.string`, of the pixels that have not been returned.
    private var pending = LZWDecoder.codeCount

    private static let codeCount = 4096
    /// A value above all codes, which marks an undefined code.
    private static let undefined = codeCount

    private final class Tables {
        /// For each code, the code of all its pixels except the last.
        let prefixes = UnsafeMutablePointer<UInt16>.allocate(capacity: codeCount)
        /// For each code, its last pixel.
        let suffixes = UnsafeMutablePointer<UInt8>.allocate(capacity: codeCount)
        /// The pixels of the current code, at the end of the buffer.
        let string = UnsafeMutablePointer<UInt8>.allocate(capacity: codeCount)

        init() {
            prefixes.initialize(repeating: UInt16(undefined), count: codeCount)
            suffixes.initialize(repeating: 0, count: codeCount)
            string.initialize(repeating: 0, count: codeCount)
        }

        deinit {
            prefixes.deallocate()
            suffixes.deallocate()
            string.deallocate()
        }
    }

    /// - Parameter codeSize: bits per pixel, 0 to 11. Only the lowest 8 bits of a pixel are kept.
    public init(codeSize: Int) {
        precondition((0...11).contains(codeSize))
        clear = 1 << codeSize
        width = codeSize + 1
        next = clear
    }

    /// Decompresses until `input` is used up, `output` is full, or `state` is no longer `open`. Returns the numbers of
    /// bytes read and pixels written. A pixel takes one byte.
    public mutating func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> (read: Int, written: Int) {
        var read = 0
        var written = 0
        while true {
            let count = min(Self.codeCount - pending, output.count - written)
            if count > 0 {
                (output.baseAddress! + written).copyMemory(from: tables.string + pending, byteCount: count)
                pending += count
                written += count
            }
            guard state == .open, written < output.count else { return (read, written) }
            while bitCount < width {
                guard read < input.count else { return (read, written) }
                bits |= UInt(input[read]) << UInt(bitCount)
                bitCount += 8
                read += 1
            }
            let code = Int(bits & (1 << UInt(width) - 1))
            bits >>= UInt(width)
            bitCount -= width
            advance()
            take(code)
        }
    }

    /// Increments `next`. Increments the width of the codes if necessary.
    private mutating func advance() {
        guard next < Self.codeCount - 1 else { return }
        next += 1
        if next + 2 > 1 << width, width < 12 { width += 1 }
    }

    private mutating func take(_ code: Int) {
        if code == clear {
            width = (clear << 1).trailingZeroBitCount
            next = clear
            previous = Self.undefined
            tables.prefixes.update(repeating: UInt16(Self.undefined), count: Self.codeCount)
        } else if code == clear + 1 {
            state = .ended
        } else if expand(code) {
            // The new code `next` has the pixels of the previous code, followed by the first pixel of the current code.
            if previous != Self.undefined, tables.prefixes[next] == UInt16(Self.undefined) {
                tables.prefixes[next] = UInt16(previous)
                tables.suffixes[next] = first
            }
            previous = code
        } else {
            pending = Self.codeCount
            state = .damaged
        }
    }

    /// Writes the pixels of a code to the end of the buffer. Returns false for an invalid code.
    private mutating func expand(_ code: Int) -> Bool {
        let (prefixes, suffixes, string) = (tables.prefixes, tables.suffixes, tables.string)
        var place = Self.codeCount
        var at = code
        if code > clear, prefixes[code] == UInt16(Self.undefined) {
            // An undefined code has the pixels of the previous code and then the first of these pixels again.
            guard previous != Self.undefined else { return false }
            place -= 1
            string[place] = first
            at = previous
        }
        while at > clear {
            guard at < Self.codeCount, place > 1 else { return false }
            place -= 1
            string[place] = suffixes[at]
            at = Int(prefixes[at])
        }
        place -= 1
        first = UInt8(truncatingIfNeeded: at)
        string[place] = first
        pending = place
        return true
    }
}
