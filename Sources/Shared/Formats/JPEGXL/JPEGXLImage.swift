import Support

/// The header of a JPEG XL codestream (ISO/IEC 18181-1 annexes D and E).
struct JPEGXLImage {
    let size: PixelSize
    private(set) var orientation = Orientation.upright
    /// The size of the preview, which is the first frame, or nil.
    private(set) var previewSize: PixelSize?
    private(set) var isAnimated = false
    private(set) var hasTimecodes = false
    /// The number of channels beyond the colours.
    private(set) var extraChannels = 0
    private(set) var hasAlpha = false
    private(set) var isXYB = true
    private var hasProfile = false

    /// Larger than any real profile. Limits the time that a malicious profile can take.
    private static let profileByteLimit = 4 << 20

    /// Reads the signature and the size. Throws `FormatFailure`.
    init(_ bits: inout JPEGXLBits) throws {
        guard try bits.number(16) == 0x0AFF else {
            throw FormatFailure.corrupt(.jpegXL, "a codestream without its signature")
        }
        size = try bits.size()
    }

    /// Reads orientation, animation and channels. Returns whether all other fields have their defaults, and whether
    /// tone mapping follows.
    mutating func readChannels(_ bits: inout JPEGXLBits) throws -> (isUsual: Bool, hasTones: Bool) {
        // The flag `all_default`: 8 bits, sRGB, upright, no extra channels.
        if try bits.flag() { return (true, false) }
        let hasMore = try bits.flag()
        if hasMore {
            orientation = Orientation(rawValue: UInt8(try bits.number(3) + 1)) ?? .upright
            if try bits.flag() { _ = try bits.size() }
            if try bits.flag() { previewSize = try bits.previewSize() }
            isAnimated = try bits.flag()
            if isAnimated { hasTimecodes = try bits.timecodes() }
        }
        try bits.skipDepth()
        // A flag: whether 16 bits are enough for the decoder.
        _ = try bits.flag()
        extraChannels = try bits.choice([(0, 0), (0, 1), (4, 2), (12, 1)])
        for _ in 0..<extraChannels where try bits.isAlpha() { hasAlpha = true }
        return (false, hasMore)
    }

    /// Reads the rest of the header, up to the first frame. Throws `JPEGXLNumbers.Unreadable` and `FormatFailure`.
    mutating func readColours(_ bits: inout JPEGXLBits, isUsual: Bool, hasTones: Bool) throws {
        if !isUsual {
            isXYB = try bits.flag()
            hasProfile = try bits.colourProfile()
            if hasTones, !(try bits.flag()) {
                try bits.skipHalves(2)
                _ = try bits.flag()
                try bits.skipHalves(1)
            }
            try bits.skipExtensions()
        }
        if !(try bits.flag()) {
            if isXYB, !(try bits.flag()) { try bits.skipHalves(16) }
            let weights = try bits.number(3)
            for (index, count) in [15, 55, 210].enumerated() where weights >> index & 1 == 1 {
                try bits.skipHalves(count)
            }
        }
        if hasProfile { try skipProfile(&bits) }
        try bits.skip(bytes: 0)
    }

    /// Decodes the profile to find its end, because its length in bits is not stored (E.4).
    private func skipProfile(_ bits: inout JPEGXLBits) throws {
        let count = try bits.long()
        guard count <= Self.profileByteLimit else { throw JPEGXLNumbers.Unreadable() }
        var numbers = try JPEGXLNumbers(&bits, contexts: 41)
        var (last, before) = (0, 0)
        for index in 0..<count {
            let context = index > 128 ? 1 + Self.kind(last) + 8 * Self.kindOfEarlier(before) : 0
            before = last
            last = try numbers.next(&bits, context: context)
            guard last < 256 else { throw JPEGXLNumbers.Unreadable() }
        }
    }

    private static func kind(_ byte: Int) -> Int {
        switch UInt8(byte) {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): 0
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: ","): 1
        case 0, 1: 2 + byte
        case 2...15: 4
        case 241...254: 5
        case 255: 6
        default: 7
        }
    }

    private static func kindOfEarlier(_ byte: Int) -> Int {
        switch kind(byte) {
        case 0: 0
        case 1: 1
        case 2, 3, 4: 2
        case 5, 6: 3
        default: 4
        }
    }
}

extension JPEGXLBits {
    /// Reads the size of the image. Each side is at most 2^30, so products with the ratios do not overflow.
    fileprivate mutating func size() throws -> PixelSize {
        let isSmall = try flag()
        func side(_ bits: inout JPEGXLBits) throws -> Int {
            try isSmall ? (bits.number(5) + 1) * 8 : bits.choice([(9, 1), (13, 1), (18, 1), (30, 1)])
        }
        return try size(side)
    }

    fileprivate mutating func previewSize() throws -> PixelSize {
        let isSmall = try flag()
        return try size { bits in
            try isSmall
                ? bits.choice([(0, 16), (0, 32), (5, 1), (9, 33)]) * 8
                : bits.choice([(6, 1), (8, 65), (10, 321), (12, 1345)])
        }
    }

    /// Reads a height, then a width or a ratio.
    private mutating func size(_ side: (inout JPEGXLBits) throws -> Int) throws -> PixelSize {
        let height = try side(&self)
        let ratios = [(1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)]
        let ratio = try number(3)
        guard ratio > 0 else { return PixelSize(width: try side(&self), height: height) }
        return PixelSize(width: height * ratios[ratio - 1].0 / ratios[ratio - 1].1, height: height)
    }

    /// Skips the header of an animation. Returns whether its frames have timecodes.
    fileprivate mutating func timecodes() throws -> Bool {
        _ = try choice([(0, 100), (0, 1000), (10, 1), (30, 1)])
        _ = try choice([(0, 1), (0, 1001), (8, 1), (10, 1)])
        _ = try choice([(0, 0), (3, 0), (16, 0), (32, 0)])
        return try flag()
    }

    fileprivate mutating func skipDepth() throws {
        let isFloat = try flag()
        _ = try isFloat ? choice([(0, 32), (0, 16), (0, 24), (6, 1)]) : choice([(0, 8), (0, 10), (0, 12), (6, 1)])
        if isFloat { _ = try number(4) }
    }

    /// Skips the description of an extra channel. Returns whether it is alpha.
    fileprivate mutating func isAlpha() throws -> Bool {
        if try flag() { return true }
        let kind = try kind(of: [0, 1, 2, 3, 4, 5, 6, 16], "an extra channel")
        try skipDepth()
        _ = try choice([(0, 0), (0, 3), (0, 4), (3, 1)])
        try skipName()
        switch kind {
        case 0: _ = try flag()
        // A spot colour, or a channel of a colour filter array.
        case 2: try skipHalves(4)
        case 5: _ = try choice([(0, 1), (2, 0), (4, 3), (8, 19)])
        default: break
        }
        return kind == 0
    }

    /// Skips the colour encoding. Returns whether a profile follows the header.
    fileprivate mutating func colourProfile() throws -> Bool {
        if try flag() { return false }
        let hasProfile = try flag()
        let space = try kind(of: [0, 1, 2, 3], "a colour space")
        if hasProfile { return true }
        let (gray, xyb, custom) = (1, 2, 2)
        if space != xyb {
            if try kind(of: [1, 2, 10, 11], "a white point") == custom { try skipPoints(1) }
            if space != gray, try kind(of: [1, 2, 9, 11], "primaries") == custom { try skipPoints(3) }
            // The transfer function is a gamma if the flag is set, otherwise a named curve.
            if try flag() {
                _ = try number(24)
            } else {
                _ = try kind(of: [1, 2, 8, 13, 16, 17, 18], "a transfer function")
            }
        }
        _ = try kind(of: [0, 1, 2, 3], "a rendering intent")
        return false
    }

    /// Reads an Enum. Throws for values not in `known`, which are reserved for later versions of the format; libjxl
    /// rejects them too.
    private mutating func kind(of known: [Int], _ subject: String) throws -> Int {
        let kind = try kind()
        guard known.contains(kind) else { throw FormatFailure.notRead(.jpegXL, "\(subject) of an unknown type") }
        return kind
    }

    private mutating func skipPoints(_ count: Int) throws {
        for _ in 0..<2 * count { _ = try choice([(19, 0), (19, 524_288), (20, 1_048_576), (21, 2_097_152)]) }
    }
}
