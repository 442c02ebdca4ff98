import Support

/// A reader of a JPEG XL codestream by bits, the lowest bit of each byte first. The codestream may be split into boxes.
struct JPEGXLBits {
    private var window: SourceWindow
    /// The ranges of the file that hold the codestream, in order.
    private let parts: [Range<Int>]
    private var part = 0
    /// Offset of the present part in the codestream.
    private var partStart = 0
    /// The offset of the next byte to load in the codestream.
    private var next = 0
    private var loaded: UInt64 = 0
    /// Fewer than 8 between two calls.
    private var loadedCount = 0
    /// Bytes of the codestream.
    let count: Int

    init(_ window: SourceWindow, _ parts: [Range<Int>]) {
        self.window = window
        self.parts = parts
        count = parts.reduce(0) { $0 + $1.count }
    }

    /// An unsigned number of at most 32 bits. Throws `FormatFailure.truncated` behind the end.
    mutating func number(_ count: Int) throws -> Int {
        while loadedCount < count {
            loaded |= UInt64(try byte()) << UInt64(loadedCount)
            loadedCount += 8
        }
        let value = loaded & (1 << UInt64(count) - 1)
        loaded >>= UInt64(count)
        loadedCount -= count
        return Int(value)
    }

    mutating func flag() throws -> Bool { try number(1) == 1 }

    private mutating func byte() throws -> UInt8 {
        while part < parts.count, next - partStart >= parts[part].count {
            partStart += parts[part].count
            part += 1
        }
        guard part < parts.count, let byte = try window.byte(at: parts[part].lowerBound + next - partStart) else {
            throw FormatFailure.truncated(.jpegXL)
        }
        next += 1
        return byte
    }

    /// Whole bytes that are left.
    var rest: Int { count - next }

    /// Drops the rest of the current byte, then skips whole bytes. Throws `FormatFailure.truncated` behind the end.
    mutating func skip(bytes: Int) throws {
        guard bytes <= rest else { throw FormatFailure.truncated(.jpegXL) }
        next += bytes
        (loaded, loadedCount) = (0, 0)
    }

    mutating func skip(bits: Int) throws {
        guard bits / 8 <= rest else { throw FormatFailure.truncated(.jpegXL) }
        var left = bits
        while left > 0 {
            _ = try number(min(left, 32))
            left -= 32
        }
    }
}

/// The encodings of numbers in headers (ISO/IEC 18181-1 §B.2).
extension JPEGXLBits {
    /// Reads a U32: two bits select a form, which has a width in bits and an offset.
    mutating func choice(_ forms: [(bits: Int, offset: Int)]) throws -> Int {
        let form = forms[try number(2)]
        return try number(form.bits) + form.offset
    }

    /// Reads an Enum.
    mutating func kind() throws -> Int { try choice([(0, 0), (0, 1), (4, 2), (6, 18)]) }

    /// Reads a U64. Numbers over 2^60 become 2^62 - 1.
    mutating func long() throws -> Int {
        switch try number(2) {
        case 0: return 0
        case 1: return try number(4) + 1
        case 2: return try number(8) + 17
        default:
            var value = try number(12)
            var shift = 12
            while try flag() {
                guard shift < 60 else { return try number(4) == 0 ? value : 1 << 62 - 1 }
                value |= (try number(8)) << shift
                shift += 8
            }
            return value
        }
    }

    /// Skips the extensions of a header, which later versions of the format may add.
    mutating func skipExtensions() throws {
        let extensions = try long()
        var bits = 0
        for index in 0..<62 where extensions >> index & 1 == 1 {
            let (sum, overflow) = bits.addingReportingOverflow(try long())
            guard !overflow else { throw FormatFailure.truncated(.jpegXL) }
            bits = sum
        }
        try skip(bits: bits)
    }

    /// Skips a name of up to 1071 bytes.
    mutating func skipName() throws { try skip(bits: 8 * choice([(0, 0), (4, 0), (5, 16), (10, 48)])) }

    /// Skips floating-point numbers of 16 bits.
    mutating func skipHalves(_ count: Int) throws { try skip(bits: 16 * count) }
}
