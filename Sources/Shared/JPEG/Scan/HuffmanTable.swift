/// A Huffman code from a DHT segment (ITU-T T.81 B.2.4.2, annex C).
struct HuffmanCode: Hashable {
    /// The number of codes of each length from 1 to 16.
    let counts: [Int]
    /// The symbols in the order of their codes, shortest first.
    let symbols: [UInt8]

    /// Returns nil if no prefix code has these code lengths, or if the number of symbols is wrong.
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

    /// The symbols with their codes and code lengths, shortest first.
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

/// Lookup tables of a Huffman code. An entry decodes a code and the value after it, if both fit in the index bits.
///
/// `@unchecked Sendable`: immutable after `init`. Each table has an entry for every value of its index.
final class HuffmanTable: @unchecked Sendable {
    /// Index bits of `entries`.
    static let lookUpBits = 11
    /// Index bits of `skips`.
    static let skipBits = 13
    /// The increment of the coefficient number at the end of a block. A run of zeros never leads to a coefficient
    /// number above 79, so a higher number always means the end of the block.
    static let endOfBlock = 80

    /// From the lowest bit: 8 bits for the length of code and value, 8 for the increment of the coefficient number, 16
    /// for the value. If the length is 0, more bits are needed. The next fields are then the symbol and the length of
    /// its code, or 0 if the symbol is unknown.
    let entries: UnsafeMutablePointer<UInt32>
    /// Skips several coefficients at a time. From the lowest bit: 4 bits for their total length, 5 for the sum of the
    /// increments of all but the last coefficient, 7 for the increment of the last; 0 if not even one coefficient fits.
    let skips: UnsafeMutablePointer<UInt16>?
    /// The last code of each length; -1 if no code has the length.
    private let lastCodes: UnsafeMutablePointer<Int32>
    /// For each code length, the index of the first symbol minus the first code.
    private let symbolStarts: UnsafeMutablePointer<Int32>
    private let symbols: UnsafeMutablePointer<UInt8>

    enum Kind: Hashable {
        /// DC differences.
        case dc
        /// AC coefficients. `countsOnly`: the output does not need all coefficients, so `skips` is created.
        case ac(countsOnly: Bool)
        /// AC coefficients of a progressive scan, in which a symbol and the bits after it may end several blocks.
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
        case .ac(countsOnly: true), .bands(countsOnly: true):
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

    /// - Parameter rest: the `free` bits after the code.
    private static func entry(_ symbol: UInt8, _ length: Int, rest: Int, _ free: Int, _ kind: Kind) -> UInt32 {
        let size = Int(symbol & 15)
        let isDC = if case .dc = kind { true } else { false }
        var endsSeveral = false
        if case .bands = kind { endsSeveral = size == 0 && 1...14 ~= symbol >> 4 }
        guard size <= free, !endsSeveral else { return UInt32(symbol) << 8 | UInt32(length) << 16 }
        let value = extended(rest >> (free - size), size)
        let growth = isDC ? 1 : growth(symbol)
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

    /// Returns the increment of the coefficient number: a run of zeros and the coefficient after it, or the rest of
    /// the block (F.1.2.2.1).
    @inline(__always) static func growth(_ symbol: UInt8) -> Int {
        symbol & 15 != 0 || symbol == 0xF0 ? Int(symbol >> 4) + 1 : endOfBlock
    }

    /// Sign-extends a value of `size` bits (EXTEND, F.2.2.1).
    @inline(__always) static func extended(_ bits: Int, _ size: Int) -> Int {
        bits < (1 << size) >> 1 ? bits - (1 << size) + 1 : bits
    }

    /// A symbol and its value that together need more than `lookUpBits` bits.
    struct Long {
        let symbol: UInt8
        let value: Int
        /// The length of code and value, at most 32 bits.
        let length: Int
        /// False for an invalid code, which has a length of 17, as in libjpeg.
        let isCode: Bool
    }

    /// Decodes the symbol and the value at the start of the window, if `entries` does not contain both.
    ///
    /// - Parameter endsSeveral: whether a symbol may end several blocks. The value of such a symbol is the number of
    ///   following blocks that end too.
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
                // Smaller codes would have matched at a shorter length.
                return (symbols[Int(code + symbolStarts[length]) & 0xFF], length)
            }
        }
        return (0, 17)
    }
}

/// The lookup tables of a picture, each created once.
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
