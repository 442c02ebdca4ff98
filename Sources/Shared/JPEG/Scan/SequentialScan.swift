import Formats
import Support

/// The MCUs of a sequential scan, in order (ITU-T T.81 F.2): decoded one after the other from where the last one ended,
/// or taken from what other threads decoded ahead, if that begins at just that place. So what comes out never depends on
/// threads.
final class SequentialScan {
    /// Some MCUs that follow each other.
    struct MCUs {
        let store: BlockStore
        /// The first one's first block in the store.
        let firstBlock: Int
        let count: Int
        /// What is missing from the means of each component.
        let offsets: SIMD4<Int32>
    }

    private let decoder: MCUDecoder
    /// Of each component its last block in an MCU.
    private let lastBlocks: [Int]
    private let queue: RegionQueue
    private let spareThreads: SpareThreads
    private var threads: [Thread] = []
    private let memory: JPEGOptions.Reservation
    private let cursor: ScanCursor
    /// Of each component the mean of the block before.
    private var predictions: SIMD4<Int32> = .zero
    /// What is decoded here and now.
    private let store: BlockStore

    /// How a scan is shared out.
    struct Sizes {
        /// Bytes of a scan below which it is not worth a thread.
        var threadedBytes: Int
        /// What a region has: so many blocks, about, in so many bytes.
        var regionBytes: ClosedRange<Int>
        var regionBlocks: Int

        static let standard = Sizes(
            threadedBytes: 256 << 10, regionBytes: 16 << 10...128 << 10, regionBlocks: 12 << 10)
    }

    private static let mostThreads = 8

    /// - Parameters:
    ///   - data: where the scan's data lies in the file, with what may follow it.
    ///   - mcus: how many there are, and how many are asked for at once at most.
    ///   - restartInterval: MCUs between restarts; 0 for none.
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
            // Of several, one makes samples of what the others decode (`PlanesAhead`).
            if threads > 1 {
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

    /// Stops all threads.
    func end() {
        queue.abandon()
        for thread in threads {
            thread.join()
            spareThreads.giveBack()
        }
        threads = []
    }

    /// Where the marker behind the data lies; nil if the file ends there. To be asked behind the last MCU.
    func markerOffset() throws -> Int? { try cursor.markerOffset() }

    /// Whether data was missing so far.
    var isTruncated: Bool { cursor.isTruncated }

    /// The next MCUs, 1 to `most`, which may not be more than are left or than are asked for at once. They stay there up
    /// to the next call.
    func next(_ most: Int) throws -> MCUs {
        let (region, hasRestarted) = try cursor.settle()
        if hasRestarted { predictions = .zero }
        let most = min(most, cursor.untilRestart)
        if cursor.isMissing { return missing(most) }
        if !cursor.isBeforeMarker, let run = region.run,
            let index = run.index(at: cursor.position, sinceRestart: cursor.sinceRestart)
        {
            return taken(run, from: index, min(most, run.count - index))
        }
        return try decoded(region, most)
    }

    /// MCUs that were decoded ahead.
    private func taken(_ run: SpeculativeRun, from index: Int, _ count: Int) -> MCUs {
        let blocks = decoder.blocks.count
        var offsets = SIMD4<Int32>.zero
        for (component, place) in lastBlocks.enumerated() {
            // A run that begins at a restart lacks nothing.
            if cursor.restartInterval == 0 {
                let before = index > 0 ? Int32(run.store.means[(index - 1) * blocks + place]) : 0
                offsets[component] = predictions[component] &- before
            }
            predictions[component] =
                Int32(run.store.means[(index + count - 1) * blocks + place]) &+ offsets[component]
        }
        cursor.position = run.start(index + count)
        cursor.count(count, isBehindRestart: index + count < run.count)
        return MCUs(store: run.store, firstBlock: index * blocks, count: count, offsets: offsets)
    }

    /// MCUs that are decoded now: up to `most`, up to the region's end, or up to one that was decoded ahead.
    /// Throws for damaged data.
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

    private static let badCode = JPEGError.corrupt("Corrupt JPEG data: bad Huffman code")

    private func decode(_ bits: inout BitReader) -> Bool {
        withUnsafeMutableBytes(of: &predictions) {
            decoder.decode(&bits, $0.baseAddress!.assumingMemoryBound(to: Int32.self), into: store)
        }
    }

    /// Gray MCUs.
    private func missing(_ most: Int) -> MCUs {
        let blocks = decoder.blocks.count
        let mcus = min(most, store.capacity / blocks)
        store.means.update(repeating: 0, count: mcus * blocks)
        store.details.update(repeating: -1, count: mcus * blocks)
        cursor.count(mcus)
        return MCUs(store: store, firstBlock: 0, count: mcus, offsets: .zero)
    }
}
