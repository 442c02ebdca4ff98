import Support

/// What decodes the MCUs of a sequential scan: the tables of each of an MCU's blocks (ITU-T T.81 A.2, F.2.2).
///
/// The file's inner loop reads tables and writes coefficients without checks; `check` makes them with `-D CHECKED`.
/// - Look-ups are by as many bits as a table has entries for.
/// - Coefficients are numbered up to 63 before a symbol, which adds at most 80: `places` has 144 entries, and all of
///   them lie within a block or on the place behind it.
/// - An MCU has at most 10 blocks of 64 symbols of at most 32 bits: it ends within `longestMCU` bytes of its begin, and
///   so many can be read, whatever is in them.
///
/// `@unchecked Sendable`: nothing changes once it has been made.
final class MCUDecoder: @unchecked Sendable {
    /// One of an MCU's blocks.
    struct Block {
        let component: Int
        let means: HuffmanTable
        let details: HuffmanTable
        let layout: BlockLayout
    }

    /// Bytes that an MCU may take, with those behind it that a `BitReader` looks at.
    static let longestMCU = 4096

    let blocks: [Block]
    /// Coefficients that an MCU takes in a `BlockStore`, at most.
    let area: Int
    private let steps: UnsafeMutablePointer<Step>
    private let places: UnsafeMutablePointer<UInt8>

    /// A block as the loop sees it.
    private struct Step {
        let means: UnsafePointer<UInt32>
        let details: UnsafePointer<UInt32>
        let skips: UnsafePointer<UInt16>?
        let places: UnsafePointer<UInt8>
        let component: Int
        /// Coefficients of a block, and the last one that is kept.
        let area: Int
        let last: Int
        let tables: Unmanaged<HuffmanTable>
        let meanTables: Unmanaged<HuffmanTable>
    }

    /// - Parameter blocks: 1 to 10.
    init(_ blocks: [Block]) {
        self.blocks = blocks
        area = blocks.reduce(0) { $0 + $1.layout.area }
        let count = 64 + HuffmanTable.endOfBlock
        steps = .allocate(capacity: blocks.count)
        places = .allocate(capacity: blocks.count * count)
        for (index, block) in blocks.enumerated() {
            let own = places + index * count
            for (k, place) in block.layout.places.enumerated() { own[k] = place }
            let step = Step(
                means: block.means.entries, details: block.details.entries,
                skips: block.details.skips.map { UnsafePointer($0) }, places: own, component: block.component,
                area: block.layout.area, last: block.layout.last,
                tables: .passUnretained(block.details), meanTables: .passUnretained(block.means))
            (steps + index).initialize(to: step)
        }
    }

    deinit {
        steps.deallocate()
        places.deallocate()
    }

    /// Decodes the next MCU into `store`, which has room for it. Gives false if there were bits that are no code.
    ///
    /// - Parameter predictions: of each component (at most four) the mean of the block before, to which the next one is
    ///   a difference.
    func decode(
        _ bits: inout BitReader, _ predictions: UnsafeMutablePointer<Int32>, into store: BlockStore
    ) -> Bool {
        check(store.hasRoom)
        let means = store.means + store.end.blocks
        let details = store.details + store.end.blocks
        var end = store.end.coefficients
        var isBad = false
        // In registers, not in memory that coefficients might be written to.
        var reader = bits
        for index in 0..<blocks.count {
            let step = steps + index
            let difference = Self.mean(&reader, step, &isBad)
            let mean = predictions[step.pointee.component] &+ Int32(truncatingIfNeeded: difference)
            predictions[step.pointee.component] = mean
            means[index] = Int16(truncatingIfNeeded: mean)
            if Self.details(&reader, step, store.coefficients + end, &isBad) {
                details[index] = Int32(truncatingIfNeeded: end)
                end += step.pointee.area
            } else {
                details[index] = -1
            }
        }
        bits = reader
        store.end = BlockStore.End(blocks: store.end.blocks + blocks.count, coefficients: end)
        return !isBad
    }

    /// The difference to the mean before.
    @inline(__always) private static func mean(
        _ bits: inout BitReader, _ step: UnsafeMutablePointer<Step>, _ isBad: inout Bool
    ) -> Int {
        bits.refill()
        let entry = step.pointee.means[bits.peek(HuffmanTable.lookUpBits)]
        let length = Int(entry & 0xFF)
        if length > 0 {
            bits.skip(length)
            return Int(Int32(bitPattern: entry) >> 16)
        }
        let long = step.pointee.meanTables._withUnsafeGuaranteedRef { $0.long(bits.window, entry: entry) }
        bits.skip(long.length)
        isBad = isBad || !long.isCode
        return long.value
    }

    /// The block's other coefficients. Gives whether any of those that are kept was there; else `target` has not
    /// been touched.
    @inline(__always) private static func details(
        _ bits: inout BitReader, _ step: UnsafeMutablePointer<Step>, _ target: UnsafeMutablePointer<Int16>,
        _ isBad: inout Bool
    ) -> Bool {
        let entries = step.pointee.details
        let places = step.pointee.places
        let last = step.pointee.last
        var number = 0
        var value = 0
        var hasDetails = false
        // The first one, before anything is cleared for it: many blocks have none.
        if last > 0 {
            next(&bits, step, entries, &number, &value, &isBad)
            if number <= last {
                hasDetails = true
                clear(target, step.pointee.area)
                while true {
                    check(number < 144 && Int(places[number]) < step.pointee.area)
                    target[Int(places[number])] = Int16(truncatingIfNeeded: value)
                    if number >= last { break }
                    next(&bits, step, entries, &number, &value, &isBad)
                }
            }
        }
        if number >= 63 { return hasDetails }
        guard let skips = step.pointee.skips else { return hasDetails }
        repeat {
            bits.refill()
            let entry = Int(skips[bits.peek(HuffmanTable.skipBits)])
            let before = entry >> 4 & 31
            if entry != 0 && number + before < 63 {
                bits.skip(entry & 15)
                number += before + entry >> 9
            } else {
                next(&bits, step, entries, &number, &value, &isBad)
            }
        } while number < 63
        return hasDetails
    }

    /// The next coefficient that is not 0, or the end of the block.
    @inline(__always) private static func next(
        _ bits: inout BitReader, _ step: UnsafeMutablePointer<Step>, _ entries: UnsafePointer<UInt32>,
        _ number: inout Int, _ coefficient: inout Int, _ isBad: inout Bool
    ) {
        bits.refill()
        let entry = entries[bits.peek(HuffmanTable.lookUpBits)]
        let length = Int(entry & 0xFF)
        if length > 0 {
            bits.skip(length)
            number += Int(entry >> 8 & 0xFF)
            coefficient = Int(Int32(bitPattern: entry) >> 16)
            return
        }
        let long = step.pointee.tables._withUnsafeGuaranteedRef { $0.long(bits.window, entry: entry) }
        bits.skip(long.length)
        isBad = isBad || !long.isCode
        number += HuffmanTable.growth(long.symbol)
        coefficient = long.value
    }

    /// Writes zeros, in whole vectors.
    @inline(__always) private static func clear(_ target: UnsafeMutablePointer<Int16>, _ area: Int) {
        var place = 0
        repeat {
            UnsafeMutableRawPointer(target + place).storeBytes(of: SIMD16<Int16>(), as: SIMD16<Int16>.self)
            place += 16
        } while place < area
    }
}

/// Tests what the code around it promises, in builds with `-D CHECKED`: those of tests and of the fuzzer.
@inline(__always) func check(_ condition: @autoclosure () -> Bool) {
    #if CHECKED
    precondition(condition())
    #endif
}
