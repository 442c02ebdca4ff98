import Formats
import Support

/// The frame header, tables and scan headers of a JPEG (ITU-T T.81 annex B).
public struct JPEGFrame {
    struct Component {
        let number: UInt8
        /// Sampling factors: blocks in an MCU of an interleaved scan.
        let across: Int
        let down: Int
        let stepTable: Int
    }

    /// The header of a scan, with the tables that apply to it.
    struct Scan {
        struct Component {
            /// The index in the frame's components.
            let index: Int
            let dcCode: HuffmanCode?
            let acCode: HuffmanCode?
            /// Quantisation steps in zigzag order.
            let steps: [UInt16]?
        }

        let components: [Component]
        /// The range of coefficients in zigzag order (G.1.1.1); 0...0 for DC.
        let band: ClosedRange<Int>
        /// Low bits that were missing before a refinement scan (Ah); 0 for the first scan of a band.
        let missingBits: Int
        /// Low bits that are missing after the scan (Al).
        let bits: Int
        /// In MCUs; 0 for no restarts.
        let restartInterval: Int
        /// The file offset of the entropy-coded data.
        let dataOffset: Int

        /// Whether the parameters are valid in a progressive picture (G.1.1.1.1), by libjpeg's rules.
        var isProgression: Bool {
            let isBand = band.lowerBound == 0 ? band.upperBound == 0 : components.count == 1
            return isBand && bits <= 13 && (missingBits == 0 || bits == missingBits - 1)
        }
    }

    private(set) var size = PixelSize(width: 0, height: 0)
    private(set) var components: [Component] = []
    private(set) var isProgressive = false
    private(set) var scans: [Scan] = []
    private var steps: [[UInt16]?] = [nil, nil, nil, nil]
    private var dcCodes: [HuffmanCode?] = [nil, nil, nil, nil]
    private var acCodes: [HuffmanCode?] = [nil, nil, nil, nil]
    private var restartInterval = 0

    var mostAcross: Int { components.map(\.across).max() ?? 1 }
    var mostDown: Int { components.map(\.down).max() ?? 1 }
    var mcusAcross: Int { (size.width + 8 * mostAcross - 1) / (8 * mostAcross) }
    var mcusDown: Int { (size.height + 8 * mostDown - 1) / (8 * mostDown) }

    /// Reads all segments up to the header of the first scan. Returns nil if the file is invalid or of an unsupported
    /// kind; libjpeg then decodes it or reports the error.
    public init?(_ source: any ByteSource, options: JPEGOptions) throws {
        var segments = JPEGSegments(source, at: 2, options: options)
        while scans.isEmpty {
            guard let segment = try segments.next(), try read(segment, source) else { return nil }
        }
    }

    /// The reason why `readOtherScans` stopped: the end marker, the end of the file, or an invalid segment with this
    /// marker code.
    enum ScansEnd {
        case marker, file
        case nonsense(UInt8)
    }

    /// Reads the headers of all remaining scans and the segments between them. Throws if there are more than
    /// `JPEGOptions.maxScans`.
    mutating func readOtherScans(_ source: any ByteSource, from offset: Int, options: JPEGOptions) throws -> ScansEnd {
        var segments = JPEGSegments(source, at: offset, options: options)
        while let segment = try segments.next() {
            if segment.code == JPEGMarkers.endOfImage { return .marker }
            if segment.body.upperBound > source.count {
                return try isNonsense(segment, source) ? .nonsense(segment.code) : .file
            }
            guard try read(segment, source) else { return .nonsense(segment.code) }
            if scans.count > options.maxScans { throw JPEGError.tooManyScans(limit: options.maxScans) }
        }
        return .file
    }

    /// Whether the first byte of a truncated segment shows that the segment is invalid.
    private func isNonsense(_ segment: JPEGMarkers.Segment, _ source: any ByteSource) throws -> Bool {
        let start = segment.body.lowerBound
        guard let first = try source.bytes(start..<start + 1).first else { return false }
        switch segment.code {
        case 0xC4: return first >> 4 > 1 || first & 15 > 3
        case 0xDB: return first & 15 > 3
        // Another frame header, or arithmetic coding.
        default: return (0xC0...0xCF).contains(segment.code)
        }
    }

    /// Returns false for an invalid or unsupported segment.
    private mutating func read(_ segment: JPEGMarkers.Segment, _ source: any ByteSource) throws -> Bool {
        guard segment.body.upperBound <= source.count else { return false }
        func body() throws -> [UInt8] { try source.bytes(segment.body) }
        switch segment.code {
        case 0xC0, 0xC1, 0xC2: return readFrame(try body(), code: segment.code)
        case 0xC4: return readCodes(try body())
        case 0xDB: return readSteps(try body())
        case 0xDD: return readRestartInterval(try body())
        case JPEGMarkers.startOfScan: return readScan(try body(), dataOffset: segment.body.upperBound)
        // After the first scan header, ignores DNL, because the height is then known, and reserved codes. Always
        // ignores application data and comments.
        case 0xDC, 0x02...0xBF: return !scans.isEmpty
        case 0xE0...0xEF, 0xFE: return true
        default: return false
        }
    }

    /// Reads a big-endian number of 16 bits.
    private static func number(_ bytes: [UInt8], at place: Int) -> Int {
        Int(bytes[place]) << 8 + Int(bytes[place + 1])
    }

    /// Reads a frame header (B.2.2).
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
        // A single component is not interleaved, so its sampling factors do not matter (A.2.2).
        if components.count == 1 {
            let only = components[0]
            components = [Component(number: only.number, across: 1, down: 1, stepTable: only.stepTable)]
        }
        return 1...4 ~= components.count && size.width > 0 && size.height > 0
    }

    /// Reads quantisation tables (B.2.4.1).
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

    /// Reads Huffman tables (B.2.4.2).
    private mutating func readCodes(_ body: [UInt8]) -> Bool {
        var rest = body[...]
        while let first = rest.popFirst() {
            guard first >> 4 <= 1, first & 15 < 4, rest.count >= 16 else { return false }
            let counts = rest.prefix(16).map { Int($0) }
            rest = rest.dropFirst(16)
            let total = counts.reduce(0, +)
            guard rest.count >= total, let code = HuffmanCode(counts: counts, symbols: Array(rest.prefix(total)))
            else { return false }
            rest = rest.dropFirst(total)
            if first >> 4 == 0 {
                // A DC difference has at most 15 bits.
                guard code.symbols.allSatisfy({ $0 < 16 }) else { return false }
                dcCodes[Int(first & 15)] = code
            } else {
                acCodes[Int(first & 15)] = code
            }
        }
        return true
    }

    /// Reads a restart interval (B.2.4.4).
    private mutating func readRestartInterval(_ body: [UInt8]) -> Bool {
        guard body.count == 2 else { return false }
        restartInterval = Self.number(body, at: 0)
        return true
    }

    /// Reads a scan header (B.2.3).
    private mutating func readScan(_ body: [UInt8], dataOffset: Int) -> Bool {
        guard let count = body.first, 1...4 ~= count, body.count == 4 + 2 * Int(count) else { return false }
        var parts: [Scan.Component] = []
        for place in stride(from: 1, to: 1 + 2 * Int(count), by: 2) {
            let (dc, ac) = (Int(body[place + 1] >> 4), Int(body[place + 1] & 15))
            guard let index = components.firstIndex(where: { $0.number == body[place] }), dc < 4, ac < 4,
                !parts.contains(where: { $0.index == index })
            else { return false }
            parts.append(
                Scan.Component(
                    index: index, dcCode: dcCodes[dc], acCode: acCodes[ac],
                    steps: steps[components[index].stepTable]))
        }
        let parameters = body.suffix(3).map { Int($0) }
        // A sequential scan always covers all coefficients, regardless of its parameters.
        let (first, last) = isProgressive ? (parameters[0], parameters[1]) : (0, 63)
        guard first <= last, last < 64 else { return false }
        let bits = isProgressive ? parameters[2] : 0
        scans.append(
            Scan(
                components: parts, band: first...last, missingBits: bits >> 4, bits: bits & 15,
                restartInterval: restartInterval, dataOffset: dataOffset))
        return true
    }
}
