import Support

/// The header and the table of contents of a frame, which determine its length (ISO/IEC 18181-1 annex F).
struct JPEGXLFrame {
    private enum Kind: Int {
        case regular, low, reference, skipped
        var isShown: Bool { self == .regular || self == .skipped }
    }

    private enum Flag {
        static let noise = 1
        static let usesLowFrame = 32
    }

    /// More sections than any encoder reorders.
    private static let movedLimit = 1 << 20

    private(set) var isLast = true
    private(set) var cost: JPEGXLPicture.Frame
    private var kind = Kind.regular
    /// The size of the coded pixels.
    private var size: PixelSize
    private var groupShift = 1

    /// Reads the headers of a frame and skips its data.
    ///
    /// - Parameter canvas: the size of the image, or of its preview.
    init(_ bits: inout JPEGXLBits, _ image: JPEGXLImage, canvas: PixelSize) throws {
        size = canvas
        cost = JPEGXLPicture.Frame(size: canvas)
        if !(try bits.flag()) { try readHeader(&bits, image, canvas: canvas) }
        try skipSections(&bits)
    }

    private mutating func readHeader(_ bits: inout JPEGXLBits, _ image: JPEGXLImage, canvas: PixelSize) throws {
        kind = Kind(rawValue: try bits.number(2)) ?? .regular
        cost.isModular = try bits.flag()
        let flags = try bits.long()
        let usesLowFrame = flags & Flag.usesLowFrame != 0
        cost.hasNoise = flags & Flag.noise != 0
        let isYCbCr = try !image.isXYB && bits.flag()
        if isYCbCr, !usesLowFrame { _ = try bits.number(6) }
        var upsampling = 1
        if !usesLowFrame {
            upsampling = 1 << (try bits.number(2))
            for _ in 0..<image.extraChannels { _ = try bits.number(2) }
        }
        if cost.isModular { groupShift = try bits.number(2) }
        if !cost.isModular, image.isXYB { _ = try bits.number(6) }
        if kind != .reference { try readPasses(&bits) }
        var reduction = upsampling
        if kind == .low { reduction *= 8 << (3 * (try bits.number(2))) }
        let covers = try kind == .low || readPlace(&bits, canvas: canvas)
        var replaces = true
        if kind.isShown {
            let hasExtra = image.extraChannels > 0
            replaces = try Self.replaces(&bits, hasExtra: hasExtra, covers: covers)
            for _ in 0..<image.extraChannels { _ = try Self.replaces(&bits, hasExtra: hasExtra, covers: covers) }
            let duration = try image.isAnimated ? bits.choice([(0, 0), (0, 1), (8, 0), (32, 0)]) : 0
            if image.hasTimecodes { _ = try bits.number(32) }
            isLast = try bits.flag()
            cost.isShown = isLast || duration > 0
        } else {
            (isLast, cost.isShown) = (false, false)
        }
        if kind != .low, !isLast {
            let slot = try bits.number(2)
            // In slot 0, a frame with a duration is not kept for later frames.
            if slot != 0 || !cost.isShown { cost.slot = slot }
        }
        if kind == .reference || kind.isShown && cost.slot != nil && replaces && covers { _ = try bits.flag() }
        try bits.skipName()
        try skipFilter(&bits)
        try bits.skipExtensions()
        let whole = size
        size = PixelSize(width: Self.parts(of: size.width, reduction), height: Self.parts(of: size.height, reduction))
        cost.size = kind == .low ? size : whole
        cost.canvas = kind.isShown && whole.pixels ?? .max < canvas.pixels ?? .max ? canvas : nil
    }

    private mutating func readPasses(_ bits: inout JPEGXLBits) throws {
        cost.passes = try bits.choice([(0, 1), (0, 2), (0, 3), (3, 4)])
        guard cost.passes > 1 else { return }
        let smaller = try bits.choice([(0, 0), (0, 1), (0, 2), (1, 3)])
        for _ in 1..<cost.passes { _ = try bits.number(2) }
        for _ in 0..<smaller { _ = try bits.number(2) }
        for _ in 0..<smaller { _ = try bits.choice([(0, 0), (0, 1), (0, 2), (3, 0)]) }
    }

    /// Reads the position and size of the frame, if they differ from the canvas. Returns whether the frame covers the
    /// canvas.
    private mutating func readPlace(_ bits: inout JPEGXLBits, canvas: PixelSize) throws -> Bool {
        guard try bits.flag() else { return true }
        func number() throws -> Int { try bits.choice([(8, 0), (11, 256), (14, 2304), (30, 18_688)]) }
        // Odd numbers encode negative values.
        func signed() throws -> Int {
            let number = try number()
            return number & 1 == 0 ? number / 2 : -(number / 2) - 1
        }
        let (left, top) = try kind.isShown ? (signed(), signed()) : (0, 0)
        size = PixelSize(width: try number(), height: try number())
        guard kind.isShown else { return true }
        return left <= 0 && top <= 0 && left + size.width >= canvas.width && top + size.height >= canvas.height
    }

    /// Reads the blending mode of a channel. Returns whether the channel replaces earlier frames instead of being
    /// blended with them.
    private static func replaces(_ bits: inout JPEGXLBits, hasExtra: Bool, covers: Bool) throws -> Bool {
        let (replace, blend, multiplyAdd, multiply) = (0, 2, 3, 4)
        let mode = try bits.choice([(0, 0), (0, 1), (0, 2), (2, 3)])
        let usesAlpha = hasExtra && (mode == blend || mode == multiplyAdd)
        if usesAlpha { _ = try bits.choice([(0, 0), (0, 1), (0, 2), (3, 3)]) }
        if usesAlpha || mode == multiply { _ = try bits.flag() }
        if mode != replace || !covers { _ = try bits.number(2) }
        return mode == replace
    }

    /// Skips the parameters of the restoration filter (annex J).
    private func skipFilter(_ bits: inout JPEGXLBits) throws {
        if try bits.flag() { return }
        if try bits.flag(), try bits.flag() { try bits.skipHalves(6) }
        if try bits.number(2) > 0 {
            if !cost.isModular, try bits.flag() { try bits.skipHalves(8) }
            if try bits.flag() { try bits.skipHalves(5) }
            if try bits.flag() { try bits.skipHalves(cost.isModular ? 3 : 4) }
            if cost.isModular { try bits.skipHalves(1) }
        }
        try bits.skipExtensions()
    }

    /// Skips the sections by the lengths in the table of contents (F.3).
    private mutating func skipSections(_ bits: inout JPEGXLBits) throws {
        let count = sectionCount
        // Limit `count` to two sections per remaining byte. No valid picture has more, because each section takes at
        // least 12 bits in the table of contents.
        guard count / 2 <= bits.rest else { throw FormatFailure.truncated(.jpegXL) }
        cost.isReordered = try bits.flag()
        if cost.isReordered { try skipOrder(&bits, count) }
        try bits.skip(bytes: 0)
        var bytes = 0
        for _ in 0..<count {
            let section = try bits.choice([(10, 0), (14, 1024), (22, 17_408), (30, 4_211_712)])
            bytes += section
            cost.sectionBytes = max(cost.sectionBytes, section)
        }
        try bits.skip(bytes: 0)
        try bits.skip(bytes: bytes)
    }

    private var sectionCount: Int {
        func groups(_ side: Int) -> Int { Self.parts(of: size.width, side) * Self.parts(of: size.height, side) }
        let side = 128 << groupShift
        let all = groups(side)
        return all == 1 && cost.passes == 1 ? 1 : 2 + groups(side * 8) + all * cost.passes
    }

    private func skipOrder(_ bits: inout JPEGXLBits, _ count: Int) throws {
        var numbers = try JPEGXLNumbers(&bits, contexts: 8)
        func context(_ number: Int) -> Int { min(7, Int.bitWidth - number.leadingZeroBitCount) }
        let moved = try numbers.next(&bits, context: context(count))
        guard moved <= min(count, Self.movedLimit) else { throw JPEGXLNumbers.Unreadable() }
        var last = 0
        for _ in 0..<moved { last = try numbers.next(&bits, context: context(last)) }
    }

    private static func parts(of length: Int, _ part: Int) -> Int { (length - 1) / part + 1 }
}
