import Support

/// The frame header, tables and scan headers of a JPEG (ITU T.81 annex B), checked for faults at which libjpeg stops.
///
/// Faults that it survives pass: a missing Huffman table, for example, is a standard one in Motion JPEG.
struct JPEGTables {
    /// The quantisation table of each component, by the component's number; nil before the frame header.
    private var components: [UInt8: UInt8]?
    private var quantisation: Set<UInt8> = []

    /// Reads the next segment, which lies within the file. Throws `FormatFailure.corrupt`.
    mutating func read(_ segment: JPEGMarkers.Segment, _ window: inout SourceWindow) throws {
        switch segment.code {
        case 0xC4: try checkHuffman(try body(segment, &window))
        case 0xDB: try readQuantisation(try body(segment, &window))
        case JPEGMarkers.startOfScan: try checkScan(try body(segment, &window))
        case 0xDD: guard segment.body.count == 2 else { throw Self.fault("a restart interval of the wrong length") }
        // Hierarchical pictures and extensions.
        case 0xDE, 0xDF, 0xF0...0xFD: throw Self.fault("a marker of another kind of picture")
        case let code where JPEGLayout.isFrameHeader(code): try readFrame(try body(segment, &window))
        default: break
        }
    }

    private func body(
        _ segment: JPEGMarkers.Segment, _ window: inout SourceWindow
    ) throws -> ArraySlice<UInt8> {
        guard !segment.body.isEmpty else { return [] }
        guard let bytes = try window.bytes(at: segment.body.lowerBound, segment.body.count) else {
            throw FormatFailure.truncated(.jpeg)
        }
        return bytes
    }

    /// Precision, rows and columns, then number, sampling factors and quantisation table of each component (B.2.2).
    private mutating func readFrame(_ body: ArraySlice<UInt8>) throws {
        guard components == nil else { throw Self.fault("two frame headers") }
        guard body.count >= 6, body.count == 6 + 3 * Int(body[body.startIndex + 5]) else {
            throw Self.fault("a frame header of the wrong length")
        }
        var tables: [UInt8: UInt8] = [:]
        for place in stride(from: body.startIndex + 6, to: body.endIndex, by: 3) {
            guard 1...4 ~= body[place + 1] >> 4, 1...4 ~= body[place + 1] & 15 else {
                throw Self.fault("a sampling factor outside 1 to 4")
            }
            tables[body[place]] = body[place + 2]
        }
        components = tables
    }

    /// B.2.4.1: 64 steps of 8 or 16 bits in each table.
    private mutating func readQuantisation(_ body: ArraySlice<UInt8>) throws {
        var rest = body
        while let first = rest.popFirst() {
            let bytes = first >> 4 == 0 ? 64 : 128
            guard first & 15 < 4, rest.count >= bytes else { throw Self.fault("a quantisation table") }
            quantisation.insert(first & 15)
            rest = rest.dropFirst(bytes)
        }
    }

    /// B.2.4.2: how many codes there are of each of 16 lengths, and their values.
    private func checkHuffman(_ body: ArraySlice<UInt8>) throws {
        var rest = body
        while let first = rest.popFirst() {
            let codes = rest.prefix(16).reduce(0) { $0 + Int($1) }
            guard first >> 4 < 2, first & 15 < 4, codes <= 256, rest.count >= 16 + codes else {
                throw Self.fault("a Huffman table")
            }
            rest = rest.dropFirst(16 + codes)
        }
    }

    /// B.2.3: which components the scan has, of which frame and tables must be known.
    private func checkScan(_ body: ArraySlice<UInt8>) throws {
        guard let components else { throw Self.fault("no frame header before the first scan") }
        guard let count = body.first, 1...4 ~= count, body.count == 4 + 2 * Int(count) else {
            throw Self.fault("a scan header of the wrong length")
        }
        for place in stride(from: body.startIndex + 1, to: body.endIndex - 3, by: 2) {
            guard let table = components[body[place]] else { throw Self.fault("a scan of an unknown component") }
            guard quantisation.contains(table) else { throw Self.fault("no quantisation table for a component") }
        }
    }

    private static func fault(_ fault: String) -> FormatFailure { .corrupt(.jpeg, fault) }
}
