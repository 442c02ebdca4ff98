/// The MCUs of a region, decoded before the start of any MCU in it is known.
///
/// Huffman codes resynchronise: a decoder that begins at an arbitrary bit reaches the true start of an MCU after a few
/// MCUs. All MCUs from there on are correct, because decoding depends only on the position. Only their DC values are
/// wrong, by the sum of the earlier differences. After a restart marker, the true start of an MCU is known.
///
/// `@unchecked Sendable`: used by one thread at a time, first by the thread that fills it, then by the thread that
/// joins the regions.
final class SpeculativeRun: @unchecked Sendable {
    let store: BlockStore
    private(set) var count = 0
    /// The first bit of each MCU, counted from the start of the region, and the end of the last MCU. Ascending.
    private let starts: UnsafeMutablePointer<Int32>
    /// In MCUs; 0 for no restarts.
    private let restartInterval: Int
    private let decoder: MCUDecoder
    private let capacity: Int
    private let predictions: UnsafeMutablePointer<Int32>

    init(mcus: Int, decoder: MCUDecoder, restartInterval: Int) {
        capacity = mcus
        store = BlockStore(mcus: mcus, blocks: decoder.blocks.count, area: decoder.area)
        starts = .allocate(capacity: mcus + 1)
        predictions = .allocate(capacity: 4)
        self.decoder = decoder
        self.restartInterval = restartInterval
    }

    deinit {
        starts.deallocate()
        predictions.deallocate()
    }

    static func memory(mcus: Int, decoder: MCUDecoder) -> Int {
        BlockStore.memory(mcus: mcus, blocks: decoder.blocks.count, area: decoder.area) + 4 * mcus
    }

    /// Returns the first bit of MCU `index`, or the end of the last MCU.
    func start(_ index: Int) -> Int { Int(starts[index]) }

    /// Returns the index of the MCU that begins at bit `position`, `sinceRestart` MCUs after a restart, or nil.
    func index(at position: Int, sinceRestart: Int) -> Int? {
        var range = 0..<count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            if Int(starts[middle]) < position {
                range = middle + 1..<range.upperBound
            } else {
                range = range.lowerBound..<middle
            }
        }
        let index = range.lowerBound
        guard index < count, Int(starts[index]) == position else { return nil }
        return restartInterval == 0 || index % restartInterval == sinceRestart ? index : nil
    }

    func removeAll() {
        count = 0
        store.end = BlockStore.End()
    }

    /// Decodes the MCUs that begin in a region. Stops before an MCU that crosses the end of the data. With restarts,
    /// also stops before an MCU with an invalid code, and at an unexpected marker.
    func decode(_ region: ScanRegion) {
        removeAll()
        predictions.update(repeating: 0, count: 4)
        var (position, endIndex) = (0, 0)
        if restartInterval > 0, region.index > 0 {
            guard let first = region.ends.first, first.isRestart, first.offset < region.count else { return }
            (position, endIndex) = (first.offset * 8, 1)
        }
        var bits = BitReader(region.bytes, at: position)
        while store.hasRoom, bits.position < region.count * 8 {
            let (start, end) = (bits.position, store.end)
            let isCode = decoder.decode(&bits, predictions, into: store)
            guard endIndex >= region.ends.count || bits.position <= region.ends[endIndex].offset * 8 else {
                store.end = end
                break
            }
            if !isCode {
                // Without restarts, the decoder may not have synchronised yet, so it drops all MCUs and continues.
                if restartInterval > 0 {
                    store.end = end
                    break
                }
                removeAll()
                predictions.update(repeating: 0, count: 4)
                continue
            }
            starts[count] = Int32(truncatingIfNeeded: start)
            count += 1
            starts[count] = Int32(truncatingIfNeeded: bits.position)
            if restartInterval > 0, count % restartInterval == 0 {
                guard endIndex < region.ends.count, region.ends[endIndex].offset < region.count,
                    follows(region.ends, endIndex, isFirstInScan: region.index == 0)
                else { break }
                bits = BitReader(region.bytes, at: region.ends[endIndex].offset * 8)
                predictions.update(repeating: 0, count: 4)
                endIndex += 1
            }
        }
    }

    /// Whether `ends[index]` is the restart marker that must follow the previous marker.
    private func follows(_ ends: [ScanRegion.End], _ index: Int, isFirstInScan: Bool) -> Bool {
        guard ends[index].isRestart else { return false }
        if index == 0 { return isFirstInScan && ends[0].marker == 0xD0 }
        return (ends[index].marker &- ends[index - 1].marker) & 7 == 1
    }
}
