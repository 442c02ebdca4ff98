import Support

/// Checks the frame header, tables and scan headers of a JPEG (ITU T.81 annex B) for errors that stop libjpeg.
///
/// Accepts errors that libjpeg tolerates, such as a missing Huffman table: Motion JPEG omits the standard tables.
struct JPEGTables {
    private struct Component {
        let across: Int
        let down: Int
        let quantisation: UInt8
    }

    private struct HuffmanTable {
        let isValid: Bool
        /// The least number of bits of any code, including the magnitude bits that follow the code.
        let leastBits: Int
    }

    private var size = PixelSize(width: 0, height: 0)
    private var isProgressive = false
    private var isHuffman = false
    /// The components, by number; nil before the frame header is read.
    private var components: [UInt8: Component]?
    private var quantisation: Set<UInt8> = []
    /// The tables, by the byte in DHT that contains the class and the number of the table.
    private var huffman: [UInt8: HuffmanTable] = [:]
    /// The offset of a scan's data, and the least number of bits that its blocks need.
    private var scan: (offset: Int, leastBits: Int)?

    /// Reads the next segment, which must be within the file.
    mutating func read(_ segment: JPEGMarkers.Segment, _ window: inout SourceWindow) throws {
        switch segment.code {
        case JPEGMarkers.startOfImage: throw Self.fault("two SOI markers")
        case 0x02...0xBF where components == nil: throw Self.fault("a reserved marker")
        case 0xC4: try readHuffman(try body(segment, &window))
        case 0xDB: try readQuantisation(try body(segment, &window))
        case JPEGMarkers.startOfScan:
            scan = (segment.body.upperBound, try leastBits(ofScan: try body(segment, &window)))
        case 0xDD: guard segment.body.count == 2 else { throw Self.fault("a restart interval of invalid length") }
        // Hierarchical pictures and extensions.
        case 0xDE, 0xDF, 0xF0...0xFD: throw Self.fault("a hierarchical or extension marker")
        case let code where JPEGLayout.isFrameHeader(code): try readFrame(try body(segment, &window), code)
        default: break
        }
    }

    /// Checks that the data of a scan, which ends at the next segment, is long enough for all blocks. This detects most
    /// scans that were truncated and then completed with an end marker.
    mutating func checkScanData(before segment: JPEGMarkers.Segment) throws {
        guard let scan else { return }
        self.scan = nil
        guard 8 * (segment.start - scan.offset) >= scan.leastBits else {
            throw Self.fault("a scan with incomplete data")
        }
    }

    private func body(_ segment: JPEGMarkers.Segment, _ window: inout SourceWindow) throws -> ArraySlice<UInt8> {
        guard !segment.body.isEmpty else { return [] }
        guard let bytes = try window.bytes(at: segment.body.lowerBound, segment.body.count) else {
            throw FormatFailure.truncated(.jpeg)
        }
        return bytes
    }

    /// Reads a frame header: precision, rows and columns, then number, sampling factors and quantisation table of each
    /// component (B.2.2).
    private mutating func readFrame(_ body: ArraySlice<UInt8>, _ code: UInt8) throws {
        guard components == nil else { throw Self.fault("two frame headers") }
        guard body.count >= 6, body.count == 6 + 3 * Int(body[body.startIndex + 5]) else {
            throw Self.fault("a frame header of invalid length")
        }
        func number(_ offset: Int) -> Int { ByteOrder.bigEndian.number(body.dropFirst(offset).prefix(2)) }
        size = PixelSize(width: number(3), height: number(1))
        isProgressive = code == 0xC2
        isHuffman = 0xC0...0xC2 ~= code
        var found: [UInt8: Component] = [:]
        for place in stride(from: body.startIndex + 6, to: body.endIndex, by: 3) {
            guard 1...4 ~= body[place + 1] >> 4, 1...4 ~= body[place + 1] & 15 else {
                throw Self.fault("a sampling factor outside 1 to 4")
            }
            found[body[place]] = Component(
                across: Int(body[place + 1] >> 4), down: Int(body[place + 1] & 15), quantisation: body[place + 2])
        }
        components = found
    }

    /// Reads quantisation tables of 64 steps with 8 or 16 bits (B.2.4.1).
    private mutating func readQuantisation(_ body: ArraySlice<UInt8>) throws {
        var rest = body
        while let first = rest.popFirst() {
            let bytes = first >> 4 == 0 ? 64 : 128
            guard first & 15 < 4, rest.count >= bytes else { throw Self.fault("an invalid quantisation table") }
            quantisation.insert(first & 15)
            rest = rest.dropFirst(bytes)
        }
    }

    /// Reads Huffman tables: the numbers of codes for each of 16 lengths, then the values of the codes (B.2.4.2).
    private mutating func readHuffman(_ body: ArraySlice<UInt8>) throws {
        var rest = body
        while let first = rest.popFirst() {
            let counts = rest.prefix(16)
            let codes = counts.reduce(0) { $0 + Int($1) }
            guard first >> 4 < 2, first & 15 < 4, codes <= 256, rest.count >= 16 + codes else {
                throw Self.fault("an invalid Huffman table")
            }
            let values = rest.dropFirst(16).prefix(codes)
            rest = rest.dropFirst(16 + codes)
            // libjpeg stops only if a scan uses a table with more codes than their lengths allow, or with a DC
            // difference of more than 15 bits.
            var free = 1
            var isValid = first >> 4 == 1 || values.allSatisfy { $0 < 16 }
            var leastBits = Int.max
            var remaining = values
            for (length, count) in zip(1..., counts) {
                free = 2 * free - Int(count)
                if free < 0 { isValid = false }
                for value in remaining.prefix(Int(count)) { leastBits = min(leastBits, length + Int(value & 15)) }
                remaining = remaining.dropFirst(Int(count))
            }
            huffman[first] = HuffmanTable(isValid: isValid, leastBits: codes > 0 ? leastBits : 0)
        }
    }

    /// Checks a scan header (B.2.3), whose components and tables must be known. Returns the least number of bits that
    /// the blocks need; 0 for a progressive scan of AC coefficients, which may need almost no bits (G.1.2.2).
    private func leastBits(ofScan body: ArraySlice<UInt8>) throws -> Int {
        guard let components else { throw Self.fault("no frame header before the first scan") }
        guard let count = body.first, 1...4 ~= count, body.count == 4 + 2 * Int(count) else {
            throw Self.fault("a scan header of invalid length")
        }
        let mostAcross = components.values.reduce(1) { max($0, $1.across) }
        let mostDown = components.values.reduce(1) { max($0, $1.down) }
        let (start, approximation) = (body[body.endIndex - 3], body[body.endIndex - 1])
        let hasDC = !isProgressive || start == 0
        let isRefinement = isProgressive && approximation >> 4 > 0
        var bits = 0
        for place in stride(from: body.startIndex + 1, to: body.endIndex - 3, by: 2) {
            guard let component = components[body[place]] else { throw Self.fault("a scan of an unknown component") }
            guard quantisation.contains(component.quantisation) else {
                throw Self.fault("no quantisation table for a component")
            }
            guard isHuffman else { continue }
            let (dc, ac) = (huffman[body[place + 1] >> 4], huffman[0x10 | body[place + 1] & 15])
            let used = [hasDC && !isRefinement ? dc : nil, isProgressive && hasDC ? nil : ac].compactMap { $0 }
            guard used.allSatisfy(\.isValid) else { throw Self.fault("an invalid Huffman table") }
            let perBlock = !hasDC ? 0 : isRefinement ? 1 : used.reduce(0) { $0 + $1.leastBits }
            bits += perBlock * blocks(of: component, isAlone: count == 1, mostAcross, mostDown)
        }
        return bits
    }

    /// Returns the number of blocks of a component in a scan (A.2.2, A.2.3).
    private func blocks(of component: Component, isAlone: Bool, _ mostAcross: Int, _ mostDown: Int) -> Int {
        func quotient(_ number: Int, _ divisor: Int) -> Int { (number + divisor - 1) / divisor }
        if isAlone {
            return quotient(quotient(size.width * component.across, mostAcross), 8)
                * quotient(quotient(size.height * component.down, mostDown), 8)
        }
        return quotient(size.width, 8 * mostAcross) * component.across * quotient(size.height, 8 * mostDown)
            * component.down
    }

    private static func fault(_ fault: String) -> FormatFailure { .corrupt(.jpeg, fault) }
}
