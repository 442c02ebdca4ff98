/// A Huffman code as a DHT segment lists it (ITU-T T.81 B.2.4.2, annex C).
struct HuffmanCode: Hashable {
    /// How many codes there are of each length from 1 to 16.
    let counts: [Int]
    /// What they stand for, the shorter codes first.
    let symbols: [UInt8]

    /// Nil if there are more codes of a length than fit, or not as many symbols as codes.
    init?(counts: [Int], symbols: [UInt8]) {
        guard counts.count == 16, counts.reduce(0, +) == symbols.count, symbols.count <= 256 else { return nil }
        var code = 0
        for (index, count) in counts.enumerated() {
            code += count
            guard code <= 1 << (index + 1) else { return nil }
            code <<= 1
        }
        self.counts = counts
        self.symbols = symbols
    }

    /// Each symbol with its code and the code's length, the shorter ones first.
    var codes: [(symbol: UInt8, code: Int, length: Int)] {
        var codes: [(symbol: UInt8, code: Int, length: Int)] = []
        codes.reserveCapacity(symbols.count)
        var code = 0
        for (index, count) in counts.enumerated() {
            for _ in 0..<count {
                codes.append((symbols[codes.count], code, index + 1))
                code += 1
            }
            code <<= 1
        }
        return codes
    }
}

/// A Huffman code as tables that give what the next bits mean: a symbol with the value behind it, if both are in as many
/// bits as are looked at.
///
/// `@unchecked Sendable`: nothing changes once it has been made. The tables have as many entries as their index has
/// values.
final class HuffmanTable: @unchecked Sendable {
    /// Bits that `entries` looks at.
    static let lookUpBits = 11
    /// Bits that `skips` looks at.
    static let skipBits = 13
    /// What the end of a block adds to a coefficient's number: more than any run of zeros, so that all numbers beyond
    /// 79 are ends.
    static let endOfBlock = 80

    /// From the lowest bit: 8 bits for the length of code and value together, 8 for what a coefficient's number grows
    /// by, 16 for the value. A length of 0: there are more bits. Then the symbol and the length of its code follow if
    /// that is known, else 0.
    let entries: UnsafeMutablePointer<UInt32>
    /// Several coefficients at once, for those that are only counted. From the lowest bit: 4 bits for their length, 5
    /// for what the number grows by before the last of them, 7 for what the last one adds; 0 if not even one is whole.
    let skips: UnsafeMutablePointer<UInt16>?
    /// Of codes by their length: the last one (-1: there is none), and where their symbols begin, less the first code.
    private let lastCodes: UnsafeMutablePointer<Int32>
    private let symbolStarts: UnsafeMutablePointer<Int32>
    private let symbols: UnsafeMutablePointer<UInt8>

    enum Kind {
        /// Differences of means.
        case means
        /// Other coefficients; `countsOnly`: some are only counted.
        case details(countsOnly: Bool)
    }

    init(_ code: HuffmanCode, _ kind: Kind) {
        entries = .allocate(capacity: 1 << Self.lookUpBits)
        entries.initialize(repeating: 0, count: 1 << Self.lookUpBits)
        lastCodes = .allocate(capacity: 18)
        lastCodes.initialize(repeating: -1, count: 18)
        symbolStarts = .allocate(capacity: 18)
        symbolStarts.initialize(repeating: 0, count: 18)
        symbols = .allocate(capacity: 256)
        symbols.initialize(repeating: 0, count: 256)
        for (index, symbol) in code.symbols.enumerated() { symbols[index] = symbol }
        let isOfMeans = if case .means = kind { true } else { false }
        let entries = entries
        let (lastCodes, symbolStarts) = (lastCodes, symbolStarts)
        var next: Int32 = 0
        for (symbol, code, length) in code.codes {
            if lastCodes[length] < 0 { symbolStarts[length] = next - Int32(code) }
            lastCodes[length] = Int32(code)
            next += 1
            let free = Self.lookUpBits - length
            if free < 0 { continue }
            for rest in 0..<1 << free {
                entries[code << free | rest] = Self.entry(symbol, length, rest: rest, free, isOfMeans: isOfMeans)
            }
        }
        if case .details(countsOnly: true) = kind {
            let skips = UnsafeMutablePointer<UInt16>.allocate(capacity: 1 << Self.skipBits)
            for index in 0..<1 << Self.skipBits { skips[index] = Self.skip(index, entries) }
            self.skips = skips
        } else {
            skips = nil
        }
    }

    deinit {
        entries.deallocate()
        skips?.deallocate()
        lastCodes.deallocate()
        symbolStarts.deallocate()
        symbols.deallocate()
    }

    /// - Parameter rest: the `free` bits behind the code.
    private static func entry(_ symbol: UInt8, _ length: Int, rest: Int, _ free: Int, isOfMeans: Bool) -> UInt32 {
        let size = Int(symbol & 15)
        guard size <= free else { return UInt32(symbol) << 8 | UInt32(length) << 16 }
        let value = extended(rest >> (free - size), size)
        let growth = isOfMeans ? 1 : growth(symbol)
        return UInt32(length + size) | UInt32(growth) << 8 | UInt32(UInt16(truncatingIfNeeded: value)) << 16
    }

    private static func skip(_ index: Int, _ entries: UnsafeMutablePointer<UInt32>) -> UInt16 {
        var (used, before, last) = (0, 0, 0)
        while before + last < 32 {
            let ahead = index << used & (1 << skipBits - 1)
            let entry = entries[ahead >> (skipBits - lookUpBits)]
            let length = Int(entry & 0xFF)
            guard length > 0, used + length <= skipBits else { break }
            used += length
            before += last
            last = Int(entry >> 8 & 0xFF)
            if last == endOfBlock { break }
        }
        return UInt16(used | before << 4 | last << 9)
    }

    /// What a symbol adds to a coefficient's number: its zeros and the coefficient behind them, or the rest of the
    /// block (F.1.2.2.1).
    @inline(__always) static func growth(_ symbol: UInt8) -> Int {
        symbol & 15 != 0 || symbol == 0xF0 ? Int(symbol >> 4) + 1 : endOfBlock
    }

    /// The value that `size` bits stand for (F.2.2.1).
    @inline(__always) static func extended(_ bits: Int, _ size: Int) -> Int {
        bits < (1 << size) >> 1 ? bits - (1 << size) + 1 : bits
    }

    /// The symbol at the front of the window, and its code's length: 17 for what is no code, as libjpeg counts.
    @inline(never) func symbol(_ window: UInt64, entry: UInt32) -> (symbol: UInt8, length: Int) {
        if entry != 0 { return (UInt8(truncatingIfNeeded: entry >> 8), Int(entry >> 16)) }
        for length in Self.lookUpBits + 1...16 {
            let code = Int32(truncatingIfNeeded: window >> UInt64(64 - length))
            if code <= lastCodes[length] {
                // More of them would be more than 256: a code below the first one would be found as a shorter one.
                return (symbols[Int(code + symbolStarts[length]) & 0xFF], length)
            }
        }
        return (0, 17)
    }
}
