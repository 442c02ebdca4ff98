/// A prefix code, stored as in Brotli (ISO/IEC 18181-1 §C.2.4, RFC 7932 §3.2 to 3.5).
struct JPEGXLPrefixCode {
    private static let longest = 15
    /// The number of codes of each length.
    private let counts: [Int]
    /// The tokens in the order of their codes.
    private let tokens: [Int]

    static func alphabetSize(_ bits: inout JPEGXLBits) throws -> Int {
        guard try bits.flag() else { return 1 }
        let width = try bits.number(4)
        let size = try bits.number(width) + 1 << width + 1
        guard size <= 1 << longest else { throw JPEGXLNumbers.Unreadable() }
        return size
    }

    /// - Parameter lengths: the length of each token's code in bits; 0 for an unused token. The code must be complete.
    private init(lengths: [Int]) {
        var counts = [Int](repeating: 0, count: Self.longest + 1)
        for length in lengths { counts[length] += 1 }
        counts[0] = 0
        self.counts = counts
        tokens = (1...Self.longest).flatMap { length in lengths.indices.filter { lengths[$0] == length } }
    }

    /// Creates a code with a single token, which is stored in 0 bits.
    private init(only token: Int) { (counts, tokens) = ([], [token]) }

    init(_ bits: inout JPEGXLBits, alphabetSize: Int) throws {
        guard alphabetSize > 1 else {
            self.init(only: 0)
            return
        }
        let skipped = try bits.number(2)
        guard skipped == 1 else {
            try self.init(&bits, alphabetSize: alphabetSize, skipped: skipped)
            return
        }
        let width = Int.bitWidth - (alphabetSize - 1).leadingZeroBitCount
        let tokens = try (0...(try bits.number(2))).map { _ in try bits.number(width) }
        guard Set(tokens).count == tokens.count, tokens.allSatisfy({ $0 < alphabetSize }) else {
            throw JPEGXLNumbers.Unreadable()
        }
        if tokens.count == 1 {
            self.init(only: tokens[0])
            return
        }
        let ofFour = try tokens.count == 4 && bits.flag() ? [1, 2, 3, 3] : [2, 2, 2, 2]
        var lengths = [Int](repeating: 0, count: alphabetSize)
        for (token, length) in zip(tokens, [[1, 1], [1, 2, 2], ofFour][tokens.count - 2]) { lengths[token] = length }
        self.init(lengths: lengths)
    }

    /// Reads a code whose code lengths are stored with another prefix code.
    private init(_ bits: inout JPEGXLBits, alphabetSize: Int, skipped: Int) throws {
        let code = try Self.codeOfLengths(&bits, skipped: skipped)
        var lengths: [Int] = []
        var room = 1 << Self.longest
        // `last`: the last length above 0. `repeated` and `times`: the length and count of the current repetition.
        var (last, repeated, times) = (8, 0, 0)
        while lengths.count < alphabetSize, room > 0 {
            let token = try code.token(&bits)
            guard token > Self.longest else {
                lengths.append(token)
                times = 0
                if token > 0 {
                    last = token
                    room -= 1 << (Self.longest - token)
                }
                continue
            }
            let length = token == 16 ? last : 0
            if length != repeated { (repeated, times) = (length, 0) }
            let before = times
            if times > 0 { times = (times - 2) << (token - 14) }
            times += try bits.number(token - 14) + 3
            guard times - before <= alphabetSize - lengths.count else { throw JPEGXLNumbers.Unreadable() }
            lengths += [Int](repeating: length, count: times - before)
            if length > 0 { room -= (times - before) << (Self.longest - length) }
        }
        guard room == 0 else { throw JPEGXLNumbers.Unreadable() }
        self.init(lengths: lengths)
    }

    private static func codeOfLengths(_ bits: inout JPEGXLBits, skipped: Int) throws -> JPEGXLPrefixCode {
        let order = [1, 2, 3, 4, 0, 5, 17, 6, 16, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        var lengths = [Int](repeating: 0, count: order.count)
        var room = 32
        for token in order.dropFirst(skipped) where room > 0 {
            lengths[token] = try lengthOfLength(&bits)
            if lengths[token] > 0 { room -= 32 >> lengths[token] }
        }
        let used = lengths.indices.filter { lengths[$0] > 0 }
        if used.count == 1 { return JPEGXLPrefixCode(only: used[0]) }
        guard room == 0 else { throw JPEGXLNumbers.Unreadable() }
        return JPEGXLPrefixCode(lengths: lengths)
    }

    private static func lengthOfLength(_ bits: inout JPEGXLBits) throws -> Int {
        let length = [0, 4, 3, nil][try bits.number(2)]
        if let length { return length }
        guard try bits.flag() else { return 2 }
        return try bits.flag() ? 5 : 1
    }

    func token(_ bits: inout JPEGXLBits) throws -> Int {
        if counts.isEmpty { return tokens[0] }
        var (code, first, index) = (0, 0, 0)
        for count in counts.dropFirst() {
            code |= try bits.number(1)
            if code - first < count { return tokens[index + code - first] }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        throw JPEGXLNumbers.Unreadable()
    }
}
