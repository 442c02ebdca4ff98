import Support

/// Decodes one scan of a progressive picture into coefficient stores (ITU-T T.81 G.1.2, G.2). Writes stay inside the
/// stores, because the same shapes determine the size of the stores and the numbers of rows and columns.
///
/// `@unchecked Sendable`: only the thread that has claimed the scan uses it (`ScanSchedule`).
final class ProgressiveScan: @unchecked Sendable {
    struct Part {
        let store: CoefficientStore
        let shape: ComponentShape
        /// Nil for a refinement of DC coefficients.
        let table: HuffmanTable?
    }

    /// The indices of the components.
    let components: [Int]
    var isDC: Bool { band == nil }
    private let columns: Int
    private let parts: [Part]
    /// Nil for a DC scan.
    private let band: BandDecoder?
    private let isRefinement: Bool
    /// Low bits that are still missing after the scan (Al).
    private let missing: Int
    private let cursor: ScanCursor
    /// The last DC value of each part.
    private var predictions: [Int32]
    /// The number of following blocks without new coefficients in the band (EOBRUN).
    private var endOfBandRun = 0
    private let places: UnsafeMutablePointer<UInt8>

    init(
        _ scan: JPEGFrame.Scan, _ parts: [Part], mcusAcross: Int, source: any ByteSource, options: JPEGOptions
    ) {
        self.parts = parts
        let isAlone = parts.count == 1
        components = scan.components.map(\.index)
        columns = isAlone ? parts[0].shape.blocksAcross : mcusAcross
        isRefinement = scan.missingBits > 0
        missing = scan.bits
        predictions = parts.map { _ in 0 }
        let bytes = ScanBytes(
            source, from: scan.dataOffset, hasRestarts: scan.restartInterval > 0, regionBytes: Self.regionBytes)
        let queue = RegionQueue(bytes, regions: (0..<2).map { _ in ScanRegion(count: Self.regionBytes, run: nil) })
        cursor = ScanCursor(
            queue, restartInterval: scan.restartInterval, allowsTruncated: options.allowsTruncated)
        let layout = parts[0].store.layout
        places = .allocate(capacity: 64 + HuffmanTable.endOfBlock)
        for (k, place) in layout.places.enumerated() { places[k] = place }
        band =
            scan.band.lowerBound == 0
            ? nil : BandDecoder(scan, parts[0].table!, layout, places: UnsafePointer(places))
    }

    private static let regionBytes = 16 << 10

    static let memory = 2 * ScanRegion.memory(count: regionBytes) + 80 << 10

    deinit { places.deallocate() }

    var isTruncated: Bool { cursor.isTruncated }

    /// Decodes the next row of MCUs. Throws for damaged data.
    func decode(mcuRow: Int) throws {
        guard parts.count == 1 else { return try decode(row: mcuRow) }
        let shape = parts[0].shape
        for row in mcuRow * shape.down..<min((mcuRow + 1) * shape.down, shape.blocksDown) { try decode(row: row) }
    }

    /// Decodes the next row of MCUs, or of blocks if the scan has a single component.
    private func decode(row: Int) throws {
        var column = 0
        while column < columns {
            let (region, hasRestarted) = try cursor.settle()
            if hasRestarted {
                predictions = parts.map { _ in 0 }
                endOfBandRun = 0
            }
            let most = min(columns - column, cursor.untilRestart)
            if cursor.isMissing {
                cursor.count(most)
                column += most
                continue
            }
            let dataEnd = cursor.dataEnd(region)
            let limits = Limits(
                region: region.isLast ? .max : region.count * 8, data: dataEnd.map { $0.offset * 8 } ?? .max)
            var bits = BitReader(region.bytes, at: cursor.position)
            let (decoded, isCode) = decode(&bits, limits, row: row, columns: column..<column + most)
            // A truncated MCU causes no invalid code, because the zeros that replace its missing data are valid codes.
            guard isCode else { throw JPEGError.corrupt("bad Huffman code") }
            if bits.position > limits.data, let dataEnd {
                // Like libjpeg, reads zeros after the end of the data. With restarts, `endData` always throws, because
                // libjpeg decodes such pictures if missing data is allowed (`CoefficientPlanes`).
                _ = try cursor.endData(region, dataEnd)
            } else {
                cursor.position = bits.position
            }
            cursor.count(decoded)
            column += decoded
        }
    }

    /// Bit positions: the end of the region, where decoding pauses, and the end of the data.
    private struct Limits {
        let region: Int
        let data: Int
    }

    /// Decodes the MCUs of `columns` that begin before the end of the region, and always the first MCU. Stops after an
    /// MCU with an invalid code, and after an MCU that ends beyond the data. Returns the number of decoded MCUs, and
    /// whether all codes were valid.
    private func decode(
        _ bits: inout BitReader, _ limits: Limits, row: Int, columns: Range<Int>
    ) -> (decoded: Int, isCode: Bool) {
        if band == nil { return decodeDC(&bits, limits, row: row, columns: columns) }
        let store = parts[0].store
        let area = store.layout.area
        let first = store.firstBlock(row: row) + columns.lowerBound
        var isBad = false
        var decoded = 0
        // Local copies stay in registers. Properties would be reloaded after each store to a coefficient.
        let band = band!
        let isRefinement = isRefinement
        var run = endOfBandRun
        var reader = bits
        defer { (endOfBandRun, bits) = (run, reader) }
        while decoded < columns.count {
            if run > 0, !isRefinement {
                let skipped = min(run, columns.count - decoded)
                run -= skipped
                decoded += skipped
                continue
            }
            if decoded > 0, reader.position >= limits.region { break }
            let block = store.coefficients + (first + decoded) * area
            if isRefinement {
                band.refine(&reader, block, store.history! + first + decoded, &run, &isBad)
            } else if let history = store.history {
                band.begin(&reader, block, history + first + decoded, &run, &isBad)
            } else {
                band.begin(&reader, block, &run, &isBad)
            }
            decoded += 1
            if isBad || reader.position > limits.data { break }
        }
        return (decoded, !isBad)
    }

    // MARK: DC coefficients (G.1.2.1)

    /// A row of blocks of a part in a row of MCUs, with raw pointers for the inner loop.
    private struct DCRow {
        let part: Int
        let first: UnsafeMutablePointer<Int16>
        let across: Int
        let entries: UnsafePointer<UInt32>?
        let table: Unmanaged<HuffmanTable>?
    }

    private func dcRows(_ row: Int) -> [DCRow] {
        let isAlone = parts.count == 1
        return parts.enumerated().flatMap { index, part in
            let down = isAlone ? 1 : part.shape.down
            return (0..<down).map { y in
                DCRow(
                    part: index, first: part.store.dc + part.store.firstBlock(row: row * down + y),
                    across: isAlone ? 1 : part.shape.across, entries: part.table.map { UnsafePointer($0.entries) },
                    table: part.table.map { .passUnretained($0) })
            }
        }
    }

    private func decodeDC(
        _ bits: inout BitReader, _ limits: Limits, row: Int, columns: Range<Int>
    ) -> (decoded: Int, isCode: Bool) {
        var isBad = false
        var decoded = 0
        let missing = missing
        let rows = dcRows(row)
        // A local copy, for the same reason as above.
        var predictions: [Int32] = []
        swap(&predictions, &self.predictions)
        defer { self.predictions = predictions }
        while decoded < columns.count {
            if decoded > 0, bits.position >= limits.region { break }
            for row in rows {
                let dc = row.first + (columns.lowerBound + decoded) * row.across
                for x in 0..<row.across {
                    bits.refill()
                    guard let entries = row.entries, let table = row.table else {
                        dc[x] |= Int16(truncatingIfNeeded: bits.peek(1) << missing)
                        bits.skip(1)
                        continue
                    }
                    let difference = BandDecoder.coefficient(&bits, entries, table, &isBad)
                    predictions[row.part] &+= Int32(truncatingIfNeeded: difference.value)
                    dc[x] = Int16(truncatingIfNeeded: predictions[row.part] << Int32(missing))
                }
            }
            decoded += 1
            if isBad || bits.position > limits.data { break }
        }
        return (decoded, !isBad)
    }
}
