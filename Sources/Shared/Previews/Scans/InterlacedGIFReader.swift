import Formats

/// Reads a GIF up to the end of its first image, and reports the ends of the image's four passes (GIF89a appendix E).
/// Stops if the image is not interlaced or exceeds the limits.
final class InterlacedGIFReader: ScanReader {
    /// The next part of the file. Headers, palettes and extension blocks are processed once all of their bytes have
    /// arrived.
    private enum State {
        case screen, globalPalette, block, label
        case extensionLength(control: Bool)
        case extensionData(control: Bool)
        case image, localPalette, codeSize, dataLength, over
        case data(Int)
        /// The sub-blocks after the last pixel.
        case afterLength, afterImage
        case afterData(Int)
    }

    /// The first row of each pass, the step between its rows, and the number of rows that each row fills in a preview.
    static let passes: [(first: Int, step: Int, block: Int)] = [(0, 8, 8), (4, 8, 4), (2, 4, 2), (1, 2, 1)]

    private(set) var screen = PixelSize(width: 0, height: 0)
    /// The position of the image on the screen.
    private(set) var left = 0, top = 0
    private(set) var size = PixelSize(width: 0, height: 0)
    private(set) var palette: [UInt8] = []
    private var transparent: UInt8?

    private var state = State.screen
    private var gathered: [UInt8] = []
    private var wanted = 13
    private var lzw: LZWDecoder?
    private var line: [UInt8] = []
    private let limits: PreviewLimits
    private var offset = 0
    private var pass = 1
    private var row = 0
    private var column = 0
    /// Called with decoded pixels of a row and the column of the first of these pixels.
    private let receive: Receiver?

    typealias Receiver = (InterlacedGIFReader, _ row: Int, _ column: Int, UnsafeRawBufferPointer) -> Void

    init(limits: PreviewLimits, receive: Receiver? = nil) {
        self.limits = limits
        self.receive = receive
    }

    var coversScreen: Bool { left == 0 && top == 0 && size.width >= screen.width && size.height >= screen.height }

    /// The index of transparent pixels: the transparent index of the image, or the first index after the palette if the
    /// image does not cover the screen. Nil if no transparent index is needed or free.
    var free: Int? {
        transparent.map(Int.init) ?? (coversScreen || palette.count == 3 * 256 ? nil : palette.count / 3)
    }

    var isOver: Bool { if case .over = state { true } else { false } }

    func take(_ bytes: UnsafeRawBufferPointer, found: (CompleteScan) -> Void) {
        for byte in bytes {
            offset += 1
            switch state {
            case .over: return
            case .data(let rest):
                draw(byte, found: found)
                if case .data = state { state = rest > 1 ? .data(rest - 1) : .dataLength }
                if case .afterData = state { state = rest > 1 ? .afterData(rest - 1) : .afterLength }
            case .dataLength: state = byte == 0 ? .over : .data(Int(byte))
            case .afterLength: state = byte == 0 ? .afterImage : .afterData(Int(byte))
            case .afterData(let rest): state = rest > 1 ? .afterData(rest - 1) : .afterLength
            case .afterImage:
                // If the trailer (0x3B) follows, the last pass completes the picture, so it needs no preview.
                if byte != 0x3B { found(CompleteScan(number: Self.passes.count, end: offset - 1)) }
                state = .over
            default:
                gathered.append(byte)
                if gathered.count < wanted { continue }
                state = next(gathered)
                gathered.removeAll(keepingCapacity: true)
            }
        }
    }

    /// Sets the length of the next part, and returns `state`.
    private func expect(_ count: Int, _ state: State) -> State {
        wanted = count
        return state
    }

    private func next(_ bytes: [UInt8]) -> State {
        func number(at place: Int) -> Int { Int(bytes[place]) | Int(bytes[place + 1]) << 8 }
        func paletteBytes(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 6 << Int(flags & 7) }
        switch state {
        case .screen:
            screen = PixelSize(width: number(at: 6), height: number(at: 8))
            guard screen.width > 0, screen.height > 0 else { return .over }
            let count = paletteBytes(bytes[10])
            return count > 0 ? expect(count, .globalPalette) : expect(1, .block)
        case .globalPalette:
            palette = bytes
            return expect(1, .block)
        case .block:
            if bytes[0] == 0x2C { return expect(9, .image) }
            return bytes[0] == 0x21 ? expect(1, .label) : .over
        case .label:
            // A plain-text extension is a graphic too, so a control extension before it does not apply to the image
            // (§25).
            if bytes[0] == 0x01 { transparent = nil }
            return expect(1, .extensionLength(control: bytes[0] == 0xF9))
        case .extensionLength(let control):
            return bytes[0] == 0 ? expect(1, .block) : expect(Int(bytes[0]), .extensionData(control: control))
        case .extensionData(let control):
            if control, bytes.count >= 4 { transparent = bytes[0] & 1 == 1 ? bytes[3] : nil }
            return expect(1, .extensionLength(control: false))
        case .image:
            (left, top) = (number(at: 0), number(at: 2))
            size = PixelSize(width: number(at: 4), height: number(at: 6))
            // Both sides are at most 65,535, so the products cannot overflow.
            guard bytes[8] & 0x40 != 0, size.width > 0, size.height > 0,
                max(size.width * size.height, screen.width * screen.height) <= limits.maxPictureBytes
            else { return .over }
            let count = paletteBytes(bytes[8])
            return count > 0 ? expect(count, .localPalette) : expect(1, .codeSize)
        case .localPalette:
            palette = bytes
            return expect(1, .codeSize)
        case .codeSize:
            guard (1...8).contains(bytes[0]), !palette.isEmpty else { return .over }
            lzw = LZWDecoder(codeSize: Int(bytes[0]))
            line = [UInt8](repeating: 0, count: size.width)
            return .dataLength
        default: return .over
        }
    }

    private func draw(_ byte: UInt8, found: (CompleteScan) -> Void) {
        var count = decode(byte)
        while count > 0 {
            line.withUnsafeBytes { receive?(self, row, column, UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            column += count
            if column == size.width { endRow(found: found) }
            count = row < size.height ? decode(nil) : 0
        }
        if row >= size.height {
            state = .afterData(0)
        } else if lzw?.state != .open {
            state = .over
        }
    }

    /// Decodes pixels of the current row into `line`. Returns the number of pixels.
    private func decode(_ byte: UInt8?) -> Int {
        let room = size.width - column
        return withUnsafeBytes(of: byte ?? 0) { input in
            line.withUnsafeMutableBytes { line in
                lzw?.decode(
                    UnsafeRawBufferPointer(rebasing: input[..<(byte == nil ? 0 : 1)]),
                    into: UnsafeMutableRawBufferPointer(rebasing: line[..<room])
                ).written ?? 0
            }
        }
    }

    private func endRow(found: (CompleteScan) -> Void) {
        column = 0
        row += Self.passes[pass - 1].step
        guard row >= size.height, pass < Self.passes.count else { return }
        let done = pass
        // If the image has few rows, skip passes without rows.
        repeat {
            pass += 1
            row = Self.passes[pass - 1].first
        } while row >= size.height && pass < Self.passes.count
        if row < size.height { found(CompleteScan(number: done, end: offset)) }
    }
}
