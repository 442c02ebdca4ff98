import Formats
import Support

/// What a JPEG says of itself before its data begins (ITU-T T.81 annex B), as far as this decoder needs it.
struct JPEGFrame {
    struct Component {
        let number: UInt8
        /// How many of its blocks are in an MCU of all components.
        let across: Int
        let down: Int
        let stepTable: Int
    }

    /// A scan's component: which of the frame's, and its tables.
    struct ScanComponent {
        let index: Int
        let meanTable: Int
        let detailTable: Int
    }

    private(set) var size = PixelSize(width: 0, height: 0)
    private(set) var components: [Component] = []
    private(set) var isProgressive = false
    /// Quantisation steps in zigzag order.
    private(set) var steps: [[UInt16]?] = [nil, nil, nil, nil]
    private(set) var meanCodes: [HuffmanCode?] = [nil, nil, nil, nil]
    private(set) var detailCodes: [HuffmanCode?] = [nil, nil, nil, nil]
    /// MCUs between two restarts; 0 for none.
    private(set) var restartInterval = 0
    /// The first scan's.
    private(set) var scan: [ScanComponent] = []
    /// Where its data begins in the file.
    private(set) var dataOffset = 0

    var mostAcross: Int { components.map(\.across).max() ?? 1 }
    var mostDown: Int { components.map(\.down).max() ?? 1 }

    /// Reads up to the first scan. Nil for everything that is not as it should be, or not of a kind that this decoder
    /// reads: libjpeg has to say what is to be made of that. Throws what the source throws.
    init?(_ source: any ByteSource, options: DecodeOptions) throws {
        var segments = JPEGSegments(source, at: 2, options: options)
        while let segment = try segments.next() {
            guard segment.body.upperBound <= source.count else { return nil }
            let isRead: Bool
            switch segment.code {
            case 0xC0, 0xC1, 0xC2: isRead = readFrame(try source.bytes(segment.body), code: segment.code)
            case 0xC4: isRead = readCodes(try source.bytes(segment.body))
            case 0xDB: isRead = readSteps(try source.bytes(segment.body))
            case 0xDD: isRead = readRestartInterval(try source.bytes(segment.body))
            case JPEGMarkers.startOfScan:
                dataOffset = segment.body.upperBound
                guard readScan(try source.bytes(segment.body)) else { return nil }
                return
            // Application's data and comments.
            case 0xE0...0xEF, 0xFE: isRead = true
            default: isRead = false
            }
            guard isRead else { return nil }
        }
        return nil
    }

    /// Two bytes, the higher one first.
    private static func number(_ bytes: [UInt8], at place: Int) -> Int {
        Int(bytes[place]) << 8 + Int(bytes[place + 1])
    }

    /// B.2.2.
    private mutating func readFrame(_ body: [UInt8], code: UInt8) -> Bool {
        guard components.isEmpty, body.count >= 6, body[0] == 8, body.count == 6 + 3 * Int(body[5]) else {
            return false
        }
        size = PixelSize(width: Self.number(body, at: 3), height: Self.number(body, at: 1))
        isProgressive = code == 0xC2
        for place in stride(from: 6, to: body.count, by: 3) {
            let component = Component(
                number: body[place], across: Int(body[place + 1] >> 4), down: Int(body[place + 1] & 15),
                stepTable: Int(body[place + 2]))
            guard 1...4 ~= component.across, 1...4 ~= component.down, component.stepTable < 4,
                !components.contains(where: { $0.number == component.number })
            else { return false }
            components.append(component)
        }
        return 1...4 ~= components.count && size.width > 0 && size.height > 0
    }

    /// B.2.4.1.
    private mutating func readSteps(_ body: [UInt8]) -> Bool {
        var rest = body[...]
        while let first = rest.popFirst() {
            let width = first >> 4 == 0 ? 1 : 2
            guard first >> 4 <= 1, first & 15 < 4, rest.count >= 64 * width else { return false }
            let bytes = Array(rest.prefix(64 * width))
            let table = (0..<64).map { width == 1 ? Int(bytes[$0]) : Self.number(bytes, at: 2 * $0) }
            steps[Int(first & 15)] = table.map { UInt16($0) }
            rest = rest.dropFirst(64 * width)
        }
        return true
    }

    /// B.2.4.2.
    private mutating func readCodes(_ body: [UInt8]) -> Bool {
        var rest = body[...]
        while let first = rest.popFirst() {
            guard first >> 4 <= 1, first & 15 < 4, rest.count >= 16 else { return false }
            let counts = rest.prefix(16).map { Int($0) }
            rest = rest.dropFirst(16)
            let total = counts.reduce(0, +)
            guard rest.count >= total,
                let code = HuffmanCode(counts: counts, symbols: Array(rest.prefix(total)))
            else { return false }
            rest = rest.dropFirst(total)
            if first >> 4 == 0 {
                // A difference of means has at most 15 bits.
                guard code.symbols.allSatisfy({ $0 < 16 }) else { return false }
                meanCodes[Int(first & 15)] = code
            } else {
                detailCodes[Int(first & 15)] = code
            }
        }
        return true
    }

    /// B.2.4.4.
    private mutating func readRestartInterval(_ body: [UInt8]) -> Bool {
        guard body.count == 2 else { return false }
        restartInterval = Self.number(body, at: 0)
        return true
    }

    /// B.2.3. A sequential scan has all coefficients, whatever it says of bands and bits.
    private mutating func readScan(_ body: [UInt8]) -> Bool {
        guard let count = body.first, 1...4 ~= count, body.count == 4 + 2 * Int(count) else { return false }
        for place in stride(from: 1, to: 1 + 2 * Int(count), by: 2) {
            guard let index = components.firstIndex(where: { $0.number == body[place] }),
                body[place + 1] >> 4 < 4, body[place + 1] & 15 < 4, !scan.contains(where: { $0.index == index })
            else { return false }
            scan.append(
                ScanComponent(
                    index: index, meanTable: Int(body[place + 1] >> 4), detailTable: Int(body[place + 1] & 15)))
        }
        return true
    }
}
