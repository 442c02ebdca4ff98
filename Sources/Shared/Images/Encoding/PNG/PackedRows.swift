import CKernels

/// The packed rows of a PNG's passes.
struct PackedRows {
    /// The rows of all passes, concatenated.
    private let bytes: [UInt8]
    /// Passes with pixels: a single pass, or up to seven if interlaced. All rows of a pass have the same length.
    private let passes: [(rowBytes: Int, rows: Int)]
    /// Bytes per pixel, at least 1.
    private let pixelBytes: Int

    /// The method for choosing the filter of each row.
    enum Strategy: Sendable {
        case fixed(Int32)
        /// The filter that gives the smallest sum of absolute differences, the smallest entropy, or the fewest
        /// different pairs of adjacent bytes.
        case sum, entropy, pairs
    }

    /// The seven passes of Adam7 (PNG §8.2): the first pixel, and the steps between pixels.
    private static let adam7: [(x: Int, y: Int, across: Int, down: Int)] = [
        (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
    ]

    init(_ pixels: PNGPixels, isInterlaced: Bool) {
        pixelBytes = max(pixels.channels * pixels.depth / 8, 1)
        let steps = isInterlaced ? Self.adam7 : [(x: 0, y: 0, across: 1, down: 1)]
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pixels.samples.count + pixels.height)
        var passes: [(rowBytes: Int, rows: Int)] = []
        for step in steps where step.x < pixels.width && step.y < pixels.height {
            let columns = (pixels.width - step.x + step.across - 1) / step.across
            let rows = (pixels.height - step.y + step.down - 1) / step.down
            passes.append(((columns * pixels.channels * pixels.depth + 7) / 8, rows))
            for y in stride(from: step.y, to: pixels.height, by: step.down) {
                let row = pixels.samples[y * pixels.width * pixels.channels..<(y + 1) * pixels.width * pixels.channels]
                if pixels.depth == 8, step.across == 1 {
                    bytes += row
                } else {
                    Self.pack(row, pixels, from: step.x, by: step.across, to: &bytes)
                }
            }
        }
        self.bytes = bytes
        self.passes = passes
    }

    private static func pack(
        _ row: ArraySlice<UInt8>, _ pixels: PNGPixels, from first: Int, by step: Int, to bytes: inout [UInt8]
    ) {
        var packed: UInt = 0
        var bits = 0
        for x in stride(from: first, to: pixels.width, by: step) {
            for channel in 0..<pixels.channels {
                packed = packed << UInt(pixels.depth) | UInt(row[row.startIndex + x * pixels.channels + channel])
                bits += pixels.depth
                if bits == 8 {
                    bytes.append(UInt8(packed))
                    (packed, bits) = (0, 0)
                }
            }
        }
        if bits > 0 { bytes.append(UInt8(packed << UInt(8 - bits))) }
    }

    /// Returns the filtered rows, each preceded by the number of its filter (PNG §9).
    func filtered(_ strategy: Strategy) -> [UInt8] {
        var filtered: [UInt8] = []
        filtered.reserveCapacity(passes.reduce(0) { $0 + ($1.rowBytes + 1) * $1.rows })
        var start = 0
        bytes.withUnsafeBufferPointer { bytes in
            for pass in passes {
                let zeros = [UInt8](repeating: 0, count: pass.rowBytes)
                var best = zeros
                var attempt = zeros
                zeros.withUnsafeBufferPointer { zeros in
                    var above = zeros.baseAddress!
                    for _ in 0..<pass.rows {
                        let row = bytes.baseAddress! + start
                        let filter = choose(strategy, row, above: above, count: pass.rowBytes, &best, &attempt)
                        filtered.append(UInt8(filter))
                        filtered += best
                        above = row
                        start += pass.rowBytes
                    }
                }
            }
        }
        return filtered
    }

    /// Writes the filtered row to `best`, and returns the number of the filter.
    private func choose(
        _ strategy: Strategy, _ row: UnsafePointer<UInt8>, above: UnsafePointer<UInt8>, count: Int,
        _ best: inout [UInt8], _ attempt: inout [UInt8]
    ) -> Int32 {
        let cost: (UnsafePointer<UInt8>, Int) -> Int64
        switch strategy {
        case .fixed(let filter):
            apod_filter(filter, pixelBytes, row, above, &best, count)
            return filter
        case .sum: cost = apod_filtered_sum
        case .entropy: cost = apod_filtered_entropy
        case .pairs: cost = apod_filtered_pairs
        }
        var chosen: Int32 = 0
        var lowest = Int64.max
        for filter in Int32(0)...4 {
            apod_filter(filter, pixelBytes, row, above, &attempt, count)
            let value = cost(attempt, count)
            guard value < lowest else { continue }
            (lowest, chosen) = (value, filter)
            swap(&best, &attempt)
        }
        return chosen
    }
}
