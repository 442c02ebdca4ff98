/// Unpacks the pixels of a GIF's image, whose bytes come one by one (GIF89a appendix F).
struct LZWReader {
    private static let maxCodes = 4096

    private let clear: Int
    private let firstWidth: Int
    private var width: Int
    private var next: Int
    private var previous: Int?
    private var bits: UInt32 = 0
    private var bitCount = 0
    /// Of each code the one that it goes on from, its last pixel, and how many pixels it stands for.
    private var prefixes = [UInt16](repeating: 0, count: maxCodes)
    private var suffixes = [UInt8](repeating: 0, count: maxCodes)
    private var lengths = [UInt16](repeating: 0, count: maxCodes)
    /// The pixels of the last code.
    private var run = [UInt8](repeating: 0, count: maxCodes)
    /// Whether the end code has come, or one that cannot be.
    private(set) var hasEnded = false

    /// - Parameter codeSize: bits of a pixel, 1 to 8.
    init(codeSize: Int) {
        clear = 1 << codeSize
        firstWidth = codeSize + 1
        width = firstWidth
        next = clear + 2
        for pixel in 0..<clear {
            suffixes[pixel] = UInt8(pixel)
            lengths[pixel] = 1
        }
    }

    /// Takes the next byte; `receive` gets the pixels of each code that ends in it.
    mutating func take(_ byte: UInt8, receive: (UnsafeRawBufferPointer) -> Void) {
        bits |= UInt32(byte) << UInt32(bitCount)
        bitCount += 8
        while bitCount >= width, !hasEnded {
            let code = Int(bits & ((1 << UInt32(width)) - 1))
            bits >>= UInt32(width)
            bitCount -= width
            let count = unpack(code)
            if count > 0 { run.withUnsafeBytes { receive(UnsafeRawBufferPointer(rebasing: $0[..<count])) } }
        }
    }

    /// Puts the pixels of a code into `run` and gives their number.
    private mutating func unpack(_ code: Int) -> Int {
        if code == clear {
            width = firstWidth
            next = clear + 2
            previous = nil
            return 0
        }
        guard code != clear + 1, code < next || code == next && previous != nil, code < Self.maxCodes else {
            hasEnded = true
            return 0
        }
        // A code that is just being made is the one before and, again, its first pixel.
        let isNew = code == next
        let known = isNew ? previous! : code
        let count = Int(lengths[known])
        var at = known
        for place in stride(from: count - 1, through: 0, by: -1) {
            run[place] = suffixes[at]
            at = Int(prefixes[at])
        }
        if let previous, next < Self.maxCodes {
            prefixes[next] = UInt16(previous)
            suffixes[next] = run[0]
            lengths[next] = lengths[previous] + 1
            next += 1
            if next == 1 << width, width < 12 { width += 1 }
        }
        previous = code
        guard isNew else { return count }
        run[count] = run[0]
        return count + 1
    }
}
