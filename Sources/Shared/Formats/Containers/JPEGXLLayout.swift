import Support

/// The codestream of a JPEG XL, bare or in boxes (ISO/IEC 18181-2 §9), and what it begins with (18181-1 annex D).
enum JPEGXLLayout {
    /// Enough for the longest header up to its kinds of channels.
    private static let headBytes = 64

    /// Throws `FormatFailure`.
    static func header(_ window: inout SourceWindow) throws -> ImageHeader {
        var bits = JPEGXLBits(try head(&window))
        let size = try bits.size()
        var orientation = Orientation.upright
        var isAnimated = false
        var hasAlpha = false
        // Whether all that follows is usual: 8 bits, sRGB, upright, no more channels.
        if try bits.number(1) == 0 {
            if try bits.number(1) == 1 {
                orientation = Orientation(rawValue: UInt8(try bits.number(3) + 1)) ?? .upright
                if try bits.number(1) == 1 { _ = try bits.size() }
                if try bits.number(1) == 1 { try bits.skipPreview() }
                isAnimated = try bits.number(1) == 1
                if isAnimated { try bits.skipAnimation() }
            }
            try bits.skipDepth()
            // Whether 16 bits are enough for the decoder.
            _ = try bits.number(1)
            // The first channel beyond the colours is alpha unless the file says otherwise.
            if try bits.choice([(0, 0), (0, 1), (4, 2), (12, 1)]) > 0 {
                hasAlpha = try bits.number(1) == 1 || bits.choice([(0, 0), (0, 1), (4, 2), (6, 18)]) == 0
            }
        }
        return ImageHeader(
            format: .jpegXL, storedSize: size, orientation: orientation, isAnimated: isAnimated, hasAlpha: hasAlpha)
    }

    /// Walks over the boxes, if there are any: each must lie in the file. A bare codestream does not say where it ends.
    /// Throws `FormatFailure`.
    static func checkEnd(_ window: inout SourceWindow) throws {
        guard try isBoxed(&window) else { return }
        try walk(&window) { _, _ in true }
    }

    private static func isBoxed(_ window: inout SourceWindow) throws -> Bool { try window.byte(at: 0) == 0 }

    /// The first bytes of the codestream.
    private static func head(_ window: inout SourceWindow) throws -> [UInt8] {
        guard try isBoxed(&window) else {
            return try bytes(&window, 0..<window.count)
        }
        var found: [UInt8]?
        try walk(&window) { window, box in
            switch box.type {
            case "jxlc": found = try bytes(&window, box.body)
            // A part, behind its number.
            case "jxlp": found = try bytes(&window, box.body.dropFirst(4))
            default: return true
            }
            return false
        }
        guard let found else { throw FormatFailure.truncated(.jpegXL) }
        return found
    }

    private static func bytes(_ window: inout SourceWindow, _ body: Range<Int>) throws -> [UInt8] {
        let range = body.prefix(headBytes)
        guard let bytes = try window.bytes(at: range.lowerBound, range.count), bytes.starts(with: [0xFF, 0x0A]) else {
            throw FormatFailure.corrupt(.jpegXL, "a codestream without its signature")
        }
        return Array(bytes.dropFirst(2))
    }

    private static func walk(
        _ window: inout SourceWindow, visit: (inout SourceWindow, Boxes.Box) throws -> Bool
    ) throws {
        let end = window.count
        do {
            try Boxes.walk(&window, 0..<end, visit: visit)
        } catch Boxes.Fault.truncated {
            throw FormatFailure.truncated(.jpegXL)
        } catch Boxes.Fault.corrupt(let fault) {
            throw FormatFailure.corrupt(.jpegXL, fault)
        }
    }
}

/// The bits of a codestream, the lowest of each byte first.
private struct JPEGXLBits {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func number(_ count: Int) throws -> Int {
        guard place + count <= bytes.count * 8 else { throw FormatFailure.truncated(.jpegXL) }
        var value = 0
        for bit in 0..<count { value |= Int(bytes[(place + bit) / 8] >> UInt8((place + bit) % 8) & 1) << bit }
        place += count
        return value
    }

    /// One of four forms, which two bits choose: so many bits, and what is added to them.
    mutating func choice(_ forms: [(bits: Int, offset: Int)]) throws -> Int {
        let form = forms[try number(2)]
        return try number(form.bits) + form.offset
    }

    /// Up to 2^30 on each side, so that the products of ratios fit.
    mutating func size() throws -> PixelSize {
        let isSmall = try number(1) == 1
        let height = try side(isSmall)
        let ratios = [(1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)]
        let ratio = try number(3)
        guard ratio > 0 else { return PixelSize(width: try side(isSmall), height: height) }
        return PixelSize(width: height * ratios[ratio - 1].0 / ratios[ratio - 1].1, height: height)
    }

    private mutating func side(_ isSmall: Bool) throws -> Int {
        isSmall ? (try number(5) + 1) * 8 : try choice([(9, 1), (13, 1), (18, 1), (30, 1)])
    }

    mutating func skipPreview() throws {
        let forms = [(bits: 0, offset: 16), (0, 32), (5, 1), (9, 33)]
        let whole = [(bits: 6, offset: 1), (8, 65), (10, 321), (12, 1345)]
        let isDivided = try number(1) == 1
        _ = try choice(isDivided ? forms : whole)
        if try number(3) == 0 { _ = try choice(isDivided ? forms : whole) }
    }

    mutating func skipAnimation() throws {
        _ = try choice([(0, 100), (0, 1000), (10, 1), (30, 1)])
        _ = try choice([(0, 1), (0, 1001), (8, 1), (10, 1)])
        _ = try choice([(0, 0), (3, 0), (16, 0), (32, 0)])
        _ = try number(1)
    }

    mutating func skipDepth() throws {
        let isFloat = try number(1) == 1
        _ = try isFloat ? choice([(0, 32), (0, 16), (0, 24), (6, 1)]) : choice([(0, 8), (0, 10), (0, 12), (6, 1)])
        if isFloat { _ = try number(4) }
    }
}
