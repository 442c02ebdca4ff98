/// Decompresses the small zlib streams in which a PNG may keep its texts (RFC 1950, RFC 1951).
///
/// Bit by bit, without tables for speed: what comes is at most a few hundred KB.
enum Inflate {
    /// The contents of a zlib stream; nil if it is damaged, or has more than `limit` bytes. The checksum is not
    /// looked at. Linear in what goes in and comes out.
    static func zlib(_ stream: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
        // Method 8, no preset dictionary, and the header's own check (RFC 1950 §2.2).
        guard stream.count > 2, case (let first, let second) = (Int(stream.first!), Int(stream.dropFirst().first!)),
            first & 15 == 8, second & 32 == 0, (first << 8 | second) % 31 == 0
        else { return nil }
        var reader = BitReader(stream.dropFirst(2))
        var output: [UInt8] = []
        while true {
            guard let isLast = reader.bits(1), let type = reader.bits(2) else { return nil }
            let isSound: Bool
            switch type {
            case 0: isSound = copyStored(&reader, &output, limit)
            case 1: isSound = expand(&reader, .fixedLengths, .fixedDistances, &output, limit)
            case 2:
                guard let (lengths, distances) = codes(&reader) else { return nil }
                isSound = expand(&reader, lengths, distances, &output, limit)
            default: return nil
            }
            guard isSound else { return nil }
            if isLast == 1 { return output }
        }
    }

    /// Bits, the least significant first.
    private struct BitReader {
        private let bytes: ArraySlice<UInt8>
        private var place: Int
        private var bit = 0

        init(_ bytes: ArraySlice<UInt8>) {
            self.bytes = bytes
            place = bytes.startIndex
        }

        mutating func bits(_ count: Int) -> Int? {
            var value = 0
            for i in 0..<count {
                guard place < bytes.endIndex else { return nil }
                value |= Int(bytes[place] >> UInt8(bit) & 1) << i
                bit += 1
                if bit == 8 { (bit, place) = (0, place + 1) }
            }
            return value
        }

        mutating func skipToByte() { if bit > 0 { (bit, place) = (0, place + 1) } }
    }

    /// A Huffman code by the lengths of its words (RFC 1951 §3.2.2).
    private struct Code {
        /// How many words of each length there are.
        private var counts = [Int](repeating: 0, count: 16)
        /// The symbols, by length, then value.
        private var symbols: [Int] = []

        init?(_ lengths: some Collection<Int>) {
            for length in lengths { counts[length] += 1 }
            counts[0] = 0
            // More words than there is room for cannot be told apart; fewer may be.
            var room = 1
            for length in 1...15 {
                room = room * 2 - counts[length]
                if room < 0 { return nil }
            }
            for length in 1...15 {
                symbols += lengths.enumerated().compactMap { $0.element == length ? $0.offset : nil }
            }
        }

        static let fixedLengths = Code(
            (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 })!
        static let fixedDistances = Code(Array(repeating: 5, count: 30))!

        func symbol(_ reader: inout BitReader) -> Int? {
            // The words of each length follow each other; so the word minus the first of its length is an index.
            var word = 0
            var first = 0
            var index = 0
            for length in 1...15 {
                guard let bit = reader.bits(1) else { return nil }
                word = word << 1 | bit
                if word - first < counts[length] { return symbols[index + word - first] }
                index += counts[length]
                first = (first + counts[length]) << 1
            }
            return nil
        }
    }

    private static func copyStored(_ reader: inout BitReader, _ output: inout [UInt8], _ limit: Int) -> Bool {
        reader.skipToByte()
        guard let length = reader.bits(16), let inverse = reader.bits(16), length == ~inverse & 0xFFFF,
            length <= limit - output.count
        else { return false }
        for _ in 0..<length {
            guard let byte = reader.bits(8) else { return false }
            output.append(UInt8(byte))
        }
        return true
    }

    /// The two codes that stand before a block (RFC 1951 §3.2.7).
    private static func codes(_ reader: inout BitReader) -> (Code, Code)? {
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
        guard let extraLengths = reader.bits(5), let extraDistances = reader.bits(5), let extra = reader.bits(4) else {
            return nil
        }
        var lengthsOfLengths = [Int](repeating: 0, count: 19)
        for i in 0..<extra + 4 {
            guard let length = reader.bits(3) else { return nil }
            lengthsOfLengths[order[i]] = length
        }
        guard let code = Code(lengthsOfLengths) else { return nil }
        let count = extraLengths + 257 + extraDistances + 1
        var lengths: [Int] = []
        while lengths.count < count {
            guard let symbol = code.symbol(&reader) else { return nil }
            let (value, base, bits) =
                switch symbol {
                case 16: (lengths.last ?? -1, 3, 2)
                case 17: (0, 3, 3)
                case 18: (0, 11, 7)
                default: (symbol, 1, 0)
                }
            guard value >= 0, let more = reader.bits(bits), lengths.count + base + more <= count else { return nil }
            lengths += repeatElement(value, count: base + more)
        }
        guard let first = Code(lengths[..<(extraLengths + 257)]), let second = Code(lengths[(extraLengths + 257)...])
        else { return nil }
        return (first, second)
    }

    /// Bytes and copies of earlier ones (RFC 1951 §3.2.5).
    private static func expand(
        _ reader: inout BitReader, _ lengths: Code, _ distances: Code, _ output: inout [UInt8], _ limit: Int
    ) -> Bool {
        while let symbol = lengths.symbol(&reader) {
            if symbol == 256 { return true }
            if symbol < 256 {
                guard output.count < limit else { return false }
                output.append(UInt8(symbol))
                continue
            }
            guard let length = length(symbol - 257, &reader), let code = distances.symbol(&reader),
                let distance = distance(code, &reader), distance <= output.count, length <= limit - output.count
            else { return false }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
        return false
    }

    /// Lengths come in groups of four that each have one more bit, but the last, which is 258.
    private static func length(_ code: Int, _ reader: inout BitReader) -> Int? {
        if code < 8 { return 3 + code }
        if code == 28 { return 258 }
        guard code < 28, let more = reader.bits(code / 4 - 1) else { return nil }
        return 3 + (4 + code % 4) << (code / 4 - 1) + more
    }

    /// Distances come in groups of two that each have one more bit.
    private static func distance(_ code: Int, _ reader: inout BitReader) -> Int? {
        if code < 4 { return 1 + code }
        guard code < 30, let more = reader.bits(code / 2 - 1) else { return nil }
        return 1 + (2 + code % 2) << (code / 2 - 1) + more
    }
}
