/// Decodes the blocks of an AC scan of a progressive picture (ITU-T T.81 G.1.2.2, G.1.2.3).
///
/// The inner loops access tables and coefficients without bounds checks; `MCUDecoder` states the invariants.
/// Coefficients that the output does not need are written to position 0, which the inverse DCT overwrites with the DC
/// coefficient.
struct BandDecoder {
    private let entries: UnsafePointer<UInt32>
    private let skips: UnsafePointer<UInt16>?
    /// A copy of `BlockLayout.places` that the scan owns.
    private let places: UnsafePointer<UInt8>
    private let table: Unmanaged<HuffmanTable>
    private let first: Int
    private let last: Int
    private let lastKept: Int
    /// Bit k is set if coefficient k, in zigzag order, is kept.
    private let kept: UInt64
    /// Bit k is set if coefficient k is in the band.
    private let inBand: UInt64
    /// Low bits that are still missing after the scan (Al).
    private let missing: Int

    /// - Parameter table: must outlive the decoder.
    init(_ scan: JPEGFrame.Scan, _ table: HuffmanTable, _ layout: BlockLayout, places: UnsafePointer<UInt8>) {
        entries = UnsafePointer(table.entries)
        skips = table.skips.map { UnsafePointer($0) }
        self.table = .passUnretained(table)
        self.places = places
        first = scan.band.lowerBound
        last = scan.band.upperBound
        lastKept = layout.last
        kept = (0..<64).reduce(0) { layout.place(ofZigzag: $1) == nil ? $0 : $0 | 1 << UInt64($1) }
        inBand = ~0 << UInt64(first) & ~0 >> UInt64(63 - last)
        missing = scan.bits
    }

    // MARK: First scan of the band

    /// Decodes a block in the first scan of a band that no later scan refines. Skips coefficients that are not kept.
    ///
    /// - Parameter run: receives the number of following blocks without coefficients in the band.
    @inline(__always) func begin(
        _ bits: inout BitReader, _ block: UnsafeMutablePointer<Int16>, _ run: inout Int, _ isBad: inout Bool
    ) {
        var number = first - 1
        while true {
            bits.refill()
            if number >= lastKept, let skips {
                let entry = Int(skips[bits.peek(HuffmanTable.skipBits)])
                let before = entry >> 4 & 31
                if entry != 0, number + before < last {
                    bits.skip(entry & 15)
                    number += before + entry >> 9
                    if number >= last { return }
                    continue
                }
            }
            let (growth, value) = Self.coefficient(&bits, entries, table, &isBad)
            if growth == HuffmanTable.endOfBlock {
                run = value
                return
            }
            number += growth
            check(number < 144)
            if value != 0 { block[Int(places[number])] = Int16(truncatingIfNeeded: value << missing) }
            if number >= last { return }
        }
    }

    /// Decodes a block in the first scan of a band that later scans refine. Records its nonzero coefficients in
    /// `history`.
    @inline(__always) func begin(
        _ bits: inout BitReader, _ block: UnsafeMutablePointer<Int16>, _ history: UnsafeMutablePointer<UInt64>,
        _ run: inout Int, _ isBad: inout Bool
    ) {
        var number = first - 1
        var found = history.pointee
        repeat {
            bits.refill()
            let (growth, value) = Self.coefficient(&bits, entries, table, &isBad)
            if growth == HuffmanTable.endOfBlock {
                run = value
                break
            }
            number += growth
            check(number < 144)
            if value != 0 {
                block[Int(places[number])] = Int16(truncatingIfNeeded: value << missing)
                found |= 1 << UInt64(min(number, 63))
            }
        } while number < last
        history.pointee = found
    }

    // MARK: Refinement

    @inline(__always) func refine(
        _ bits: inout BitReader, _ block: UnsafeMutablePointer<Int16>, _ history: UnsafeMutablePointer<UInt64>,
        _ run: inout Int, _ isBad: inout Bool
    ) {
        let before = history.pointee
        var found = before
        // A bit for each coefficient of the band that is not yet decoded.
        var rest = inBand
        while run == 0, rest != 0 {
            bits.refill()
            let (growth, value) = Self.coefficient(&bits, entries, table, &isBad)
            if growth == HuffmanTable.endOfBlock {
                run = value + 1
                break
            }
            // A coefficient that becomes nonzero in a refinement scan is 1 or -1.
            if value > 1 || value < -1 { isBad = true }
            // Skips the `growth` - 1 coefficients that stay 0.
            var zeros = rest & ~before
            // The first four steps are branchless, because `growth` is unpredictable.
            zeros &= growth > 1 ? zeros &- 1 : ~0
            zeros &= growth > 2 ? zeros &- 1 : ~0
            zeros &= growth > 3 ? zeros &- 1 : ~0
            zeros &= growth > 4 ? zeros &- 1 : ~0
            if growth > 5 { for _ in 5..<growth { zeros &= zeros &- 1 } }
            // The lowest remaining bit of `zeros` and all bits below it, or all bits if none remains.
            let upTo = zeros ^ (zeros &- 1)
            correct(&bits, rest & upTo & before, block)
            if value != 0 {
                // Damaged data may place the coefficient after the band.
                let number = zeros == 0 ? last + 1 : zeros.trailingZeroBitCount
                check(number < 144)
                block[Int(places[number])] = Int16(truncatingIfNeeded: value << missing)
                found |= 1 << UInt64(min(number, 63))
            }
            rest &= ~upTo
        }
        if run > 0 {
            correct(&bits, rest & before, block)
            run -= 1
        }
        history.pointee = found
    }

    /// Reads a correction bit for each coefficient of the mask, and applies the bit if the coefficient is kept.
    @inline(__always) private func correct(
        _ bits: inout BitReader, _ coefficients: UInt64, _ block: UnsafeMutablePointer<Int16>
    ) {
        var left = coefficients
        while left != 0 {
            bits.refill()
            // Skips in two steps, because `skip` accepts at most the number of valid bits in the window.
            if left & kept == 0 {
                let count = left.nonzeroBitCount
                bits.skip(min(count, 32))
                bits.refill()
                bits.skip(max(count - 32, 0))
                return
            }
            var window = bits.window
            var count = 0
            repeat {
                let place = Int(places[left.trailingZeroBitCount])
                left &= left &- 1
                let value = block[place]
                let sign = value &>> 15
                // Branchless, because the bit is unpredictable. Like libjpeg, ignores the correction of a bit that is
                // already set, which occurs only in damaged data.
                let bit = Int16(truncatingIfNeeded: window >> 63) & ~(value &>> Int16(truncatingIfNeeded: missing))
                block[place] = value &+ ((bit &<< Int16(truncatingIfNeeded: missing)) ^ sign) &- sign
                window &<<= 1
                count += 1
            } while left != 0 && count < 48
            bits.skip(count)
        }
    }

    // MARK: Symbols

    /// Returns the increment of the coefficient number, and the value of the coefficient. At the end of a band, the
    /// increment is `HuffmanTable.endOfBlock`, and the value is the number of following blocks without coefficients in
    /// the band, at most 32766 (EOBRUN - 1).
    @inline(__always) static func coefficient(
        _ bits: inout BitReader, _ entries: UnsafePointer<UInt32>, _ table: Unmanaged<HuffmanTable>,
        _ isBad: inout Bool
    ) -> (growth: Int, value: Int) {
        let entry = entries[bits.peek(HuffmanTable.lookUpBits)]
        let length = Int(entry & 0xFF)
        if length > 0 {
            bits.skip(length)
            return (Int(entry >> 8 & 0xFF), Int(Int32(bitPattern: entry) >> 16))
        }
        let long = table._withUnsafeGuaranteedRef { $0.long(bits.window, entry: entry, endsSeveral: true) }
        bits.skip(long.length)
        isBad = isBad || !long.isCode
        let isEnd = long.symbol & 15 == 0 && long.symbol < 0xF0
        return (isEnd ? HuffmanTable.endOfBlock : Int(long.symbol >> 4) + 1, long.value)
    }
}
