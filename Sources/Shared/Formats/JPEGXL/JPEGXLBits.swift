import Support

/// Reads the bits of a JPEG XL codestream, the lowest bit of each byte first.
struct JPEGXLBits {
    private var window: SourceWindow
    /// The offset of the next byte to load.
    private var next = 0
    private var loaded: UInt64 = 0
    /// The number of bits in `loaded`, which is less than 8 between calls.
    private var loadedCount = 0

    init(_ codestream: JPEGXLCodestream) { window = .forHeader(codestream) }

    /// Reads an unsigned number of at most 32 bits. Throws `FormatFailure.truncated` beyond the end.
    mutating func number(_ count: Int) throws -> Int {
        while loadedCount < count {
            guard let byte = try window.byte(at: next) else { throw FormatFailure.truncated(.jpegXL) }
            next += 1
            loaded |= UInt64(byte) << UInt64(loadedCount)
            loadedCount += 8
        }
        let value = loaded & (1 << UInt64(count) - 1)
        loaded >>= UInt64(count)
        loadedCount -= count
        return Int(value)
    }

    mutating func flag() throws -> Bool { try number(1) == 1 }

    /// The number of remaining whole bytes.
    var rest: Int { window.count - next }

    /// Drops the rest of the current byte, then skips whole bytes. Throws `FormatFailure.truncated` beyond the end.
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

    /// Reads a U64. Numbers above 2^60 become 2^62 - 1.
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
