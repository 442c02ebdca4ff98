/// Decodes the MCUs of a sequential scan (ITU-T T.81 A.2, F.2.2).
///
/// The inner loops in this file access tables and coefficients without bounds checks. The following invariants make
/// this safe; `check` verifies them in builds with `-D CHECKED`:
/// - Each table has an entry for every value of its index.
/// - A coefficient number is at most 63 before a symbol, and a symbol adds at most 80. `places` has 144 entries, and
///   each entry is a position within the block.
/// - An MCU has at most 10 blocks of 64 symbols of at most 32 bits. It ends within `longestMCU` bytes of its start, and
///   that many bytes are readable even after the end of the data.
///
/// `@unchecked Sendable`: immutable after `init`.
final class MCUDecoder: @unchecked Sendable {
    struct Block {
        let component: Int
        let dc: HuffmanTable
        let ac: HuffmanTable
        let layout: BlockLayout
    }

    /// Upper bound of the bytes of an MCU, including the bytes that `BitReader` loads past its end.
    static let longestMCU = 4096

    let blocks: [Block]
    /// Upper bound of the coefficients of an MCU in a `BlockStore`.
    let area: Int
    private let steps: UnsafeMutablePointer<Step>
    private let places: UnsafeMutablePointer<UInt8>

    /// A `Block` as raw pointers, for the inner loop.
    private struct Step {
        let dc: UnsafePointer<UInt32>
        let ac: UnsafePointer<UInt32>
        let skips: UnsafePointer<UInt16>?
        let places: UnsafePointer<UInt8>
        let component: Int
        /// The number of coefficients to store for a block.
        let area: Int
        /// The last coefficient, in zigzag order, to store.
        let last: Int
        let acTable: Unmanaged<HuffmanTable>
        let dcTable: Unmanaged<HuffmanTable>
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
                dc: block.dc.entries, ac: block.ac.entries,
                skips: block.ac.skips.map { UnsafePointer($0) }, places: own, component: block.component,
                area: block.layout.area, last: block.layout.last,
                acTable: .passUnretained(block.ac), dcTable: .passUnretained(block.dc))
            (steps + index).initialize(to: step)
        }
    }

    deinit {
        steps.deallocate()
        places.deallocate()
    }

    /// Decodes the next MCU into `store`, which must have room. Returns false for an invalid code.
    ///
    /// - Parameter predictions: the previous DC value of each component (at most four).
    func decode(
        _ bits: inout BitReader, _ predictions: UnsafeMutablePointer<Int32>, into store: BlockStore
    ) -> Bool {
        check(store.hasRoom)
        let dc = store.dc + store.end.blocks
        let acOffsets = store.acOffsets + store.end.blocks
        var end = store.end.coefficients
        var isBad = false
        // A local copy stays in registers. The argument would be reloaded after each store to a coefficient.
        var reader = bits
        for index in 0..<blocks.count {
            let step = steps + index
            let difference = Self.decodeDC(&reader, step, &isBad)
            let value = predictions[step.pointee.component] &+ Int32(truncatingIfNeeded: difference)
            predictions[step.pointee.component] = value
            dc[index] = Int16(truncatingIfNeeded: value)
            if Self.decodeAC(&reader, step, store.coefficients + end, &isBad) {
                acOffsets[index] = Int32(truncatingIfNeeded: end)
                end += step.pointee.area
            } else {
                acOffsets[index] = -1
            }
        }
        bits = reader
        store.end = BlockStore.End(blocks: store.end.blocks + blocks.count, coefficients: end)
        return !isBad
    }

    /// Decodes a DC difference.
    @inline(__always) private static func decodeDC(
        _ bits: inout BitReader, _ step: UnsafeMutablePointer<Step>, _ isBad: inout Bool
    ) -> Int {
        bits.refill()
        let entry = step.pointee.dc[bits.peek(HuffmanTable.lookUpBits)]
        let length = Int(entry & 0xFF)
        if length > 0 {
            bits.skip(length)
            return Int(Int32(bitPattern: entry) >> 16)
        }
        let long = step.pointee.dcTable._withUnsafeGuaranteedRef { $0.long(bits.window, entry: entry) }
        bits.skip(long.length)
        isBad = isBad || !long.isCode
        return long.value
    }

    /// Decodes the AC coefficients. Returns false, and leaves `target` unchanged, if no coefficient is kept.
    @inline(__always) private static func decodeAC(
        _ bits: inout BitReader, _ step: UnsafeMutablePointer<Step>, _ target: UnsafeMutablePointer<Int16>,
        _ isBad: inout Bool
    ) -> Bool {
        let entries = step.pointee.ac
        let places = step.pointee.places
        let last = step.pointee.last
        var number = 0
        var value = 0
        var hasAC = false
        // Decodes the first coefficient before clearing the block, because many blocks have none.
        if last > 0 {
            next(&bits, step, entries, &number, &value, &isBad)
            if number <= last {
                hasAC = true
                clear(target, step.pointee.area)
                while true {
                    check(number < 144 && Int(places[number]) < step.pointee.area)
                    target[Int(places[number])] = Int16(truncatingIfNeeded: value)
                    if number >= last { break }
                    next(&bits, step, entries, &number, &value, &isBad)
                }
            }
        }
        if number >= 63 { return hasAC }
        guard let skips = step.pointee.skips else { return hasAC }
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
        return hasAC
    }

    /// Decodes the next nonzero coefficient, or the end of the block.
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
        let long = step.pointee.acTable._withUnsafeGuaranteedRef { $0.long(bits.window, entry: entry) }
        bits.skip(long.length)
        isBad = isBad || !long.isCode
        number += HuffmanTable.growth(long.symbol)
        coefficient = long.value
    }

    /// Clears a block, rounded up to whole vectors.
    @inline(__always) private static func clear(_ target: UnsafeMutablePointer<Int16>, _ area: Int) {
        var place = 0
        repeat {
            UnsafeMutableRawPointer(target + place).storeBytes(of: SIMD16<Int16>(), as: SIMD16<Int16>.self)
            place += 16
        } while place < area
    }
}

/// Verifies an invariant in builds with `-D CHECKED`, which tests and the fuzzer use.
@inline(__always) func check(_ condition: @autoclosure () -> Bool) {
    #if CHECKED
    precondition(condition())
    #endif
}
