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

    enum Kind: Hashable {
        /// Differences of means.
        case means
        /// Other coefficients; `countsOnly`: some are only counted.
        case details(countsOnly: Bool)
        /// Bands of a progressive scan, where a symbol may end several blocks, with the number of them behind it.
        case bands(countsOnly: Bool)
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
                entries[code << free | rest] = Self.entry(symbol, length, rest: rest, free, kind)
            }
        }
        switch kind {
        case .details(countsOnly: true), .bands(countsOnly: true):
            let skips = UnsafeMutablePointer<UInt16>.allocate(capacity: 1 << Self.skipBits)
            for index in 0..<1 << Self.skipBits { skips[index] = Self.skip(index, entries) }
            self.skips = skips
        default: skips = nil
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
    private static func entry(_ symbol: UInt8, _ length: Int, rest: Int, _ free: Int, _ kind: Kind) -> UInt32 {
        let size = Int(symbol & 15)
        let isOfMeans = if case .means = kind { true } else { false }
        var endsSeveral = false
        if case .bands = kind { endsSeveral = size == 0 && 1...14 ~= symbol >> 4 }
        guard size <= free, !endsSeveral else { return UInt32(symbol) << 8 | UInt32(length) << 16 }
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

    /// A symbol and the bits behind it that are more than are looked up.
    struct Long {
        let symbol: UInt8
        let value: Int
        /// Of code and value together, at most 32.
        let length: Int
        /// False for bits that are no code, of which 17 are passed over, as libjpeg does.
        let isCode: Bool
    }

    /// What the window begins with, if it is none of the `entries` in whole.
    ///
    /// - Parameter endsSeveral: whether a symbol may end several blocks: then `value` is how many more there are.
    @inline(never) func long(_ window: UInt64, entry: UInt32, endsSeveral: Bool = false) -> Long {
        let (symbol, length) = symbol(window, entry: entry)
        let (run, size) = (Int(symbol >> 4), Int(symbol & 15))
        let isEnd = endsSeveral && size == 0 && run < 15
        let extra = isEnd ? run : size
        let behind = window << UInt64(length)
        let bits = Int((behind >> 1) >> UInt64(63 - extra))
        let value = isEnd ? (1 << run) - 1 + bits : Self.extended(bits, size)
        return Long(symbol: symbol, value: value, length: length + extra, isCode: length <= 16)
    }

    private func symbol(_ window: UInt64, entry: UInt32) -> (symbol: UInt8, length: Int) {
        if entry != 0 { return (UInt8(truncatingIfNeeded: entry >> 8), Int(entry >> 16)) }
        for length in Self.lookUpBits + 1...16 {
            let code = Int32(truncatingIfNeeded: window >> UInt64(64 - length))
            if code <= lastCodes[length] {
                // A code below the first one of its length would have been found as a shorter one.
                return (symbols[Int(code + symbolStarts[length]) & 0xFF], length)
            }
        }
        return (0, 17)
    }
}

/// Tables of a picture's codes, each made once.
final class HuffmanTables {
    private var tables: [Key: HuffmanTable] = [:]

    private struct Key: Hashable {
        let code: HuffmanCode
        let kind: HuffmanTable.Kind
    }

    func table(_ code: HuffmanCode, _ kind: HuffmanTable.Kind) -> HuffmanTable {
        let key = Key(code: code, kind: kind)
        if let table = tables[key] { return table }
        let table = HuffmanTable(code, kind)
        tables[key] = table
        return table
    }
}
