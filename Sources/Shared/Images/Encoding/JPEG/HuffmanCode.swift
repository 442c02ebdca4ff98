import CKernels

/// A Huffman code of a JPEG (T.81, annex C).
struct HuffmanCode: Equatable {
    /// The number of codes of 1 to 16 bits.
    let counts: [UInt8]
    /// The symbols in the order of their codes.
    let symbols: [UInt8]

    /// T.81's codes (K.3.3), which most programs use: DC and AC of luma, then of chroma.
    static let standard = [
        HuffmanCode(counts: [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], symbols: Array(0...11)),
        HuffmanCode(
            counts: [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7D],
            symbols: allACSymbols(after: [
                0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22,
                0x71, 0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52, 0xD1, 0xF0, 0x24, 0x33,
                0x62, 0x72, 0x82,
            ])),
        HuffmanCode(counts: [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0], symbols: Array(0...11)),
        HuffmanCode(
            counts: [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77],
            symbols: allACSymbols(after: [
                0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13,
                0x22, 0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xA1, 0xB1, 0xC1, 0x09, 0x23, 0x33, 0x52, 0xF0, 0x15, 0x62,
                0x72, 0xD1, 0x0A, 0x16, 0x24, 0x34, 0xE1, 0x25, 0xF1,
            ])),
    ]

    /// Returns all symbols of AC coefficients. The symbols after `first` ascend.
    private static func allACSymbols(after first: [UInt8]) -> [UInt8] {
        let all = (UInt8(0)...0xFF).filter { (1...10).contains($0 & 15) || $0 == 0 || $0 == 0xF0 }
        return first + all.filter { !first.contains($0) }
    }

    init(counts: [UInt8], symbols: [UInt8]) {
        self.counts = counts
        self.symbols = symbols
    }

    /// The code with the fewest bits for these frequencies of 256 symbols, at least one of which is above 0 (K.2). Equals
    /// libjpeg's code.
    init(optimizedFor uses: [UInt32]) {
        // Symbol 256 gets the code of only ones, which a JPEG must not use.
        var frequencies = uses.map(Int.init) + [1]
        var lengths = [Int](repeating: 0, count: 257)
        // Trees of symbols, which are linked to lists.
        var roots = frequencies.indices.filter { frequencies[$0] > 0 }
        var next = [Int?](repeating: nil, count: 257)
        /// Returns the rarest tree; of several, the last, as in libjpeg.
        func rarest(except other: Int? = nil) -> Int {
            var rarest: Int?
            for root in roots where root != other {
                if let rarest, frequencies[root] > frequencies[rarest] { continue }
                rarest = root
            }
            return rarest!
        }
        while roots.count > 1 {
            let first = rarest()
            let second = rarest(except: first)
            roots.removeAll { $0 == second }
            frequencies[first] += frequencies[second]
            var last = first
            while let following = next[last] { last = following }
            next[last] = second
            var symbol: Int? = first
            while let longer = symbol {
                lengths[longer] += 1
                symbol = next[longer]
            }
        }

        var counts = [Int](repeating: 0, count: 258)
        for length in lengths where length > 0 { counts[length] += 1 }
        // Shortens codes of more than 16 bits in pairs: the first code takes the place of their common prefix, and the
        // second code shares the place of a shorter code (figure K.3).
        for length in stride(from: 257, to: 16, by: -1) {
            while counts[length] > 0 {
                let shorter = counts[...(length - 2)].lastIndex { $0 > 0 }!
                counts[length] -= 2
                counts[length - 1] += 1
                counts[shorter + 1] += 2
                counts[shorter] -= 1
            }
        }
        counts[counts.lastIndex { $0 > 0 }!] -= 1
        self.counts = counts[1...16].map(UInt8.init)
        symbols = (0..<256).filter { lengths[$0] > 0 }.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
            .map(UInt8.init)
    }

    /// The codes of 256 symbols, with space for magnitude bits. A symbol that does not occur has a length of 0.
    var codes: [apod_code] {
        var codes = [apod_code](repeating: apod_code(), count: 256)
        var (code, place): (UInt32, Int) = (0, 0)
        for length in 1...16 {
            for symbol in symbols[place..<place + Int(counts[length - 1])] {
                let size = UInt16(symbol & 15)
                codes[Int(symbol)] = apod_code(bits: code << size, mask: 1 << size - 1, length: UInt16(length) + size)
                code += 1
            }
            place += Int(counts[length - 1])
            code <<= 1
        }
        return codes
    }
}
