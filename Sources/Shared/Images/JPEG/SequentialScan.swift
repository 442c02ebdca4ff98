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
    private let restartInterval: Int
    private let queue: RegionQueue
    private let spareThreads: SpareThreads
    private let wantedThreads: Int
    private var threads: [Thread] = []
    private let memory: MemoryReservation
    private let allowsTruncated: Bool
    /// Whether data was missing.
    private(set) var isTruncated = false

    // Where the scan is.

    private var region: ScanRegion?
    private var nextRegion = 0
    /// The next MCU's first bit in the region.
    private var position = 0
    /// MCUs that have come.
    private var count = 0
    /// Whether the restart before the next MCU has been passed.
    private var hasPassedRestart = true
    /// Whether what is left up to the next restart is missing.
    private var isMissing = false
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
    ///   - offset: where the scan's data begins in the file.
    ///   - mcus: how many there are, and how many are asked for at once at most.
    ///   - restartInterval: MCUs between restarts; 0 for none.
    init(
        _ source: any ByteSource, from offset: Int, decoder: MCUDecoder, components: Int,
        mcus: (all: Int, atOnce: Int), restartInterval: Int, sizes: Sizes, options: DecodeOptions
    ) throws {
        self.decoder = decoder
        lastBlocks = (0..<components).map { component in
            decoder.blocks.lastIndex { $0.component == component } ?? 0
        }
        self.restartInterval = restartInterval
        allowsTruncated = options.allowsTruncated
        let blocks = decoder.blocks.count
        let bytes = max(source.count - offset, 1)
        let share = Double(bytes) * Double(sizes.regionBlocks) / (Double(mcus.all) * Double(blocks))
        let range = sizes.regionBytes
        let regionBytes = Int(min(max(share, Double(range.lowerBound)), Double(range.upperBound)))
        var regions = 2
        spareThreads = options.spareThreads
        var threads = 0
        if bytes >= sizes.threadedBytes {
            while threads < Self.mostThreads, options.spareThreads.take() { threads += 1 }
        }
        wantedThreads = threads
        let runMCUs = min(sizes.regionBlocks * 4 / 3 / blocks + 1, mcus.all)
        var memory = BlockStore.memory(mcus: mcus.atOnce, blocks: blocks, area: decoder.area)
        if threads > 0 {
            regions = 2 * threads + 2
            memory += regions * SpeculativeRun.memory(mcus: runMCUs, decoder: decoder)
        }
        memory += regions * ScanRegion.memory(count: regionBytes)
        do {
            self.memory = try options.reserve(memory: memory)
        } catch {
            for _ in 0..<threads { spareThreads.giveBack() }
            throw error
        }
        store = BlockStore(mcus: mcus.atOnce, blocks: blocks, area: decoder.area)
        let scan = ScanBytes(source, from: offset, hasRestarts: restartInterval > 0, regionBytes: regionBytes)
        queue = RegionQueue(
            scan,
            regions: (0..<regions).map { _ in
                let run =
                    threads > 0
                    ? SpeculativeRun(mcus: runMCUs, decoder: decoder, restartInterval: restartInterval) : nil
                return ScanRegion(count: regionBytes, run: run)
            })
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
    func markerOffset() throws -> Int? {
        while try !current().isLast { advance() }
        return queue.markerOffset
    }

    /// The next MCUs, 1 to `most`, which may not be more than are left or than are asked for at once. They stay there up to
    /// the next call.
    func next(_ most: Int) throws -> MCUs {
        while true {
            let region = try current()
            if position >= region.count * 8, !region.isLast {
                advance()
                continue
            }
            var most = most
            let sinceRestart = restartInterval > 0 ? count % restartInterval : 0
            if restartInterval > 0 {
                if sinceRestart == 0, !hasPassedRestart {
                    try passRestart(region)
                    continue
                }
                most = min(most, restartInterval - sinceRestart)
            }
            if isMissing { return missing(most) }
            if let run = region.run, let index = run.index(at: position, sinceRestart: sinceRestart) {
                return taken(run, from: index, min(most, run.count - index))
            }
            return try decoded(region, most)
        }
    }

    private func current() throws -> ScanRegion {
        if let region { return region }
        let region = try queue.region(nextRegion)
        self.region = region
        nextRegion += 1
        return region
    }

    /// Goes to the region behind.
    private func advance() {
        guard let region else { return }
        position = max(position - region.count * 8, 0)
        queue.free(region)
        self.region = nil
    }

    /// Counts MCUs that come.
    private func count(_ mcus: Int) {
        count += mcus
        if restartInterval > 0, count % restartInterval == 0 { hasPassedRestart = false }
    }

    /// MCUs that were decoded ahead.
    private func taken(_ run: SpeculativeRun, from index: Int, _ count: Int) -> MCUs {
        let blocks = decoder.blocks.count
        var offsets = SIMD4<Int32>.zero
        for (component, place) in lastBlocks.enumerated() {
            // A run that begins at a restart lacks nothing.
            if restartInterval == 0 {
                let before = index > 0 ? Int32(run.store.means[(index - 1) * blocks + place]) : 0
                offsets[component] = predictions[component] &- before
            }
            predictions[component] =
                Int32(run.store.means[(index + count - 1) * blocks + place]) &+ offsets[component]
        }
        position = run.start(index + count)
        self.count(count)
        // Within the run, restarts have been passed.
        if index + count < run.count { hasPassedRestart = true }
        return MCUs(store: run.store, firstBlock: index * blocks, count: count, offsets: offsets)
    }

    /// MCUs that are decoded now: up to `most`, up to the region's end, or up to one that was decoded ahead.
    /// Throws for damaged data.
    private func decoded(_ region: ScanRegion, _ most: Int) throws -> MCUs {
        store.end = BlockStore.End()
        // Where a restart has just been passed, its marker is the first one.
        let hasRestarted = count > 0 && restartInterval > 0 && count % restartInterval == 0
        let ends = region.ends.drop { $0.offset * 8 < position }
        let dataEnd = hasRestarted && ends.first?.isRestart == true ? ends.dropFirst().first : ends.first
        var bits = BitReader(region.bytes, at: position)
        var decoded = 0
        while decoded < most, store.hasRoom {
            if decoded > 0 {
                if bits.position >= region.count * 8, !region.isLast { break }
                let sinceRestart = restartInterval > 0 ? (count + decoded) % restartInterval : 0
                if region.run?.index(at: bits.position, sinceRestart: sinceRestart) != nil { break }
            }
            let (end, before) = (store.end, predictions)
            let isCode = withUnsafeMutableBytes(of: &predictions) {
                decoder.decode(&bits, $0.baseAddress!.assumingMemoryBound(to: Int32.self), into: store)
            }
            if let dataEnd, bits.position > dataEnd.offset * 8 {
                (store.end, predictions) = (end, before)
                if decoded > 0 { break }
                try noteMissing(dataEnd)
                finishFromZeros(region, dataEnd)
                self.count(1)
                return MCUs(store: store, firstBlock: 0, count: 1, offsets: .zero)
            }
            guard isCode else {
                (store.end, predictions) = (end, before)
                if decoded > 0 { break }
                throw ImageError.corrupt(.jpeg, "Corrupt JPEG data: bad Huffman code")
            }
            position = bits.position
            decoded += 1
        }
        self.count(decoded)
        return MCUs(store: store, firstBlock: 0, count: decoded, offsets: .zero)
    }

    // MARK: What is missing

    /// Throws unless a picture that ends too early is allowed.
    private func noteMissing(_ end: ScanRegion.End) throws {
        if allowsTruncated {
            isTruncated = true
            isMissing = true
        } else if end.marker == 0 {
            throw ImageError.truncated(.jpeg)
        } else {
            throw ImageError.corrupt(.jpeg, "Corrupt JPEG data: premature end of data segment")
        }
    }

    /// Decodes the MCU within which data ends as if zeros followed, as libjpeg does.
    private func finishFromZeros(_ region: ScanRegion, _ end: ScanRegion.End) {
        let first = position / 8
        let rest = AlignedBuffer(count: end.offset - first + 2 * MCUDecoder.longestMCU)
        rest.bytes.update(from: region.bytes + first, count: end.offset - first)
        var bits = BitReader(rest.bytes, at: position % 8)
        _ = withUnsafeMutableBytes(of: &predictions) {
            decoder.decode(&bits, $0.baseAddress!.assumingMemoryBound(to: Int32.self), into: store)
        }
        position = end.offset * 8
    }

    /// Gray MCUs.
    private func missing(_ most: Int) -> MCUs {
        let blocks = decoder.blocks.count
        let mcus = min(most, store.capacity / blocks)
        store.means.update(repeating: 0, count: mcus * blocks)
        store.details.update(repeating: -1, count: mcus * blocks)
        count(mcus)
        return MCUs(store: store, firstBlock: 0, count: mcus, offsets: .zero)
    }

    /// Goes to what follows the next restart marker, which has to be the right one (T.81 F.2.1.3.1, E.2.4).
    private func passRestart(_ region: ScanRegion) throws {
        let next = region.ends.first { $0.offset * 8 >= position && (region.isLast || $0.offset < region.count) }
        guard let next else { return advance() }
        let expected = UInt8(0xD0 + (count / restartInterval - 1) % 8)
        hasPassedRestart = true
        predictions = .zero
        if next.marker == expected {
            position = next.offset * 8
            isMissing = false
            return
        }
        if next.marker == 0 && allowsTruncated || isTruncated {
            // The next MCU will find out that there is nothing; those behind it, if they know of it already.
            isTruncated = true
            position = next.offset * 8
            return
        }
        if next.marker == 0 { throw ImageError.truncated(.jpeg) }
        let hex = String(next.marker, radix: 16)
        throw ImageError.corrupt(
            .jpeg, "Corrupt JPEG data: found marker 0x\(hex) instead of RST\(expected - 0xD0)")
    }
}
