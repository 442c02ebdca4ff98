import Support

/// The MCUs of a sequential scan in order (ITU-T T.81 F.2). Decodes each MCU from the end of the previous MCU, or uses
/// MCUs that another thread decoded ahead from that position, so the result is the same for any number of threads.
final class SequentialScan {
    struct MCUs {
        let store: BlockStore
        /// The index of the first block in `store`.
        let firstBlock: Int
        let count: Int
        /// The number to add to the DC values of each component.
        let offsets: SIMD4<Int32>
    }

    private let decoder: MCUDecoder
    /// The index of the last block of each component in an MCU.
    private let lastBlocks: [Int]
    private let queue: RegionQueue
    private let spareThreads: ThreadBudget
    private var threads: [Thread] = []
    private let memory: JPEGOptions.Reservation
    private let cursor: ScanCursor
    /// The previous DC value of each component.
    private var predictions: SIMD4<Int32> = .zero
    /// Blocks that the calling thread decodes.
    private let store: BlockStore

    /// How a scan is divided between threads.
    struct Sizes {
        /// Scans with fewer bytes are decoded by one thread.
        var threadedBytes: Int
        /// A region has the bytes of about `regionBlocks` blocks, within these limits.
        var regionBytes: ClosedRange<Int>
        var regionBlocks: Int

        static let standard = Sizes(
            threadedBytes: 256 << 10, regionBytes: 16 << 10...128 << 10, regionBlocks: 12 << 10)
    }

    private static let mostThreads = 8

    /// - Parameters:
    ///   - data: a range of the file that begins with the data, and may extend beyond the end of the data.
    ///   - mcus: the number of MCUs in the scan, and the maximum number that a call of `next` requests.
    ///   - restartInterval: in MCUs; 0 for no restarts.
    init(
        _ source: any ByteSource, in data: Range<Int>, decoder: MCUDecoder, components: Int,
        mcus: (all: Int, atOnce: Int), restartInterval: Int, sizes: Sizes, options: JPEGOptions
    ) throws {
        self.decoder = decoder
        lastBlocks = (0..<components).map { component in
            decoder.blocks.lastIndex { $0.component == component } ?? 0
        }
        let blocks = decoder.blocks.count
        let bytes = max(data.count, 1)
        let share = Double(bytes) * Double(sizes.regionBlocks) / (Double(mcus.all) * Double(blocks))
        let range = sizes.regionBytes
        let regionBytes = Int(min(max(share, Double(range.lowerBound)), Double(range.upperBound)))
        var regions = 2
        spareThreads = options.spareThreads
        var threads = 0
        if bytes >= sizes.threadedBytes {
            while threads < Self.mostThreads, options.spareThreads.take() { threads += 1 }
            // One thread remains for `DecodeAhead`, which turns the decoded blocks into samples.
            if threads > (options.leavesThread ? 0 : 1) {
                options.spareThreads.giveBack()
                threads -= 1
            }
        }
        let runMCUs = min(sizes.regionBlocks * 4 / 3 / blocks + 1, mcus.all)
        var memory = BlockStore.memory(mcus: mcus.atOnce, blocks: blocks, area: decoder.area)
        if threads > 0 {
            regions = 2 * threads + 2
            memory += regions * SpeculativeRun.memory(mcus: runMCUs, decoder: decoder)
        }
        memory += regions * ScanRegion.memory(count: regionBytes)
        do {
            self.memory = try options.reserve(memory)
        } catch {
            for _ in 0..<threads { spareThreads.giveBack() }
            throw error
        }
        store = BlockStore(mcus: mcus.atOnce, blocks: blocks, area: decoder.area)
        let scan = ScanBytes(
            source, from: data.lowerBound, hasRestarts: restartInterval > 0, regionBytes: regionBytes)
        queue = RegionQueue(
            scan,
            regions: (0..<regions).map { _ in
                let run =
                    threads > 0
                    ? SpeculativeRun(mcus: runMCUs, decoder: decoder, restartInterval: restartInterval) : nil
                return ScanRegion(count: regionBytes, run: run)
            })
        cursor = ScanCursor(queue, restartInterval: restartInterval, allowsTruncated: options.allowsTruncated)
        for _ in 0..<threads {
            if let thread = try? Thread.start({ [queue] in queue.decodeAhead() }) {
                self.threads.append(thread)
            } else {
                spareThreads.giveBack()
            }
        }
    }

    deinit { end() }

    func end() {
        queue.abandon()
        for thread in threads {
            thread.join()
            spareThreads.giveBack()
        }
        threads = []
    }

    /// Returns the file offset of the marker after the data, or nil if the file ends there. Call after the last MCU.
    func markerOffset() throws -> Int? { try cursor.markerOffset() }

    var isTruncated: Bool { cursor.isTruncated }

    /// Returns 1 to `most` of the next MCUs, valid until the next call. `most` must not exceed the remaining MCUs or
    /// `mcus.atOnce`.
    func next(_ most: Int) throws -> MCUs {
        let (region, hasRestarted) = try cursor.settle()
        if hasRestarted { predictions = .zero }
        let most = min(most, cursor.untilRestart)
        if cursor.isMissing { return missing(most) }
        if !cursor.isBeforeMarker, let run = region.run,
            let index = run.index(at: cursor.position, sinceRestart: cursor.sinceRestart)
        {
            return decodedAhead(run, from: index, min(most, run.count - index))
        }
        return try decoded(region, most)
    }

    private func decodedAhead(_ run: SpeculativeRun, from index: Int, _ count: Int) -> MCUs {
        let blocks = decoder.blocks.count
        var offsets = SIMD4<Int32>.zero
        for (component, place) in lastBlocks.enumerated() {
            // A run that begins at a restart has correct DC values.
            if cursor.restartInterval == 0 {
                let before = index > 0 ? Int32(run.store.dc[(index - 1) * blocks + place]) : 0
                offsets[component] = predictions[component] &- before
            }
            predictions[component] =
                Int32(run.store.dc[(index + count - 1) * blocks + place]) &+ offsets[component]
        }
        cursor.position = run.start(index + count)
        cursor.count(count, isBehindRestart: index + count < run.count)
        return MCUs(store: run.store, firstBlock: index * blocks, count: count, offsets: offsets)
    }

    /// Decodes 1 to `most` MCUs. Stops at the end of the region, and before an MCU that was decoded ahead. Throws for
    /// damaged data.
    private func decoded(_ region: ScanRegion, _ most: Int) throws -> MCUs {
        store.end = BlockStore.End()
        let dataEnd = cursor.dataEnd(region)
        var bits = BitReader(region.bytes, at: cursor.position)
        var decoded = 0
        while decoded < most, store.hasRoom {
            if decoded > 0 {
                if bits.position >= region.count * 8, !region.isLast { break }
                let sinceRestart = cursor.sinceRestart + decoded
                if region.run?.index(at: bits.position, sinceRestart: sinceRestart) != nil { break }
            }
            let (end, before) = (store.end, predictions)
            let isCode = decode(&bits)
            if let dataEnd, bits.position > dataEnd.offset * 8 {
                (store.end, predictions) = (end, before)
                if decoded > 0 { break }
                let rest = try cursor.endData(region, dataEnd)
                var zeros = BitReader(rest.bytes.bytes, at: rest.position)
                guard decode(&zeros) else { throw Self.badCode }
                cursor.count(1)
                return MCUs(store: store, firstBlock: 0, count: 1, offsets: .zero)
            }
            guard isCode else {
                (store.end, predictions) = (end, before)
                if decoded > 0 { break }
                throw Self.badCode
            }
            cursor.position = bits.position
            decoded += 1
        }
        cursor.count(decoded)
        return MCUs(store: store, firstBlock: 0, count: decoded, offsets: .zero)
    }

    private static let badCode = JPEGError.corrupt("bad Huffman code")

    private func decode(_ bits: inout BitReader) -> Bool {
        withUnsafeMutableBytes(of: &predictions) {
            decoder.decode(&bits, $0.baseAddress!.assumingMemoryBound(to: Int32.self), into: store)
        }
    }

    /// Returns gray MCUs in place of missing data.
    private func missing(_ most: Int) -> MCUs {
        let blocks = decoder.blocks.count
        let mcus = min(most, store.capacity / blocks)
        store.dc.update(repeating: 0, count: mcus * blocks)
        store.acOffsets.update(repeating: -1, count: mcus * blocks)
        cursor.count(mcus)
        return MCUs(store: store, firstBlock: 0, count: mcus, offsets: .zero)
    }
}
