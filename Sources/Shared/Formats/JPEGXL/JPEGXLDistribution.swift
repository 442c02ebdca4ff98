/// A token distribution of asymmetric numeral systems (ANS), decoded by an alias table (ISO/IEC 18181-1 §C.2.3,
/// C.2.6).
struct JPEGXLDistribution {
    private static let precision = 12
    private static let total = 1 << precision

    private struct Bucket {
        /// Positions in the bucket below the cutoff have the bucket's own token, other positions the token `other`.
        var cutoff: Int
        var other: Int
        var offset: Int
    }

    private let counts: [Int]
    private let buckets: [Bucket]
    private let bucketBits: Int

    init(_ bits: inout JPEGXLBits, alphabetBits: Int) throws {
        let counts = try Self.counts(&bits)
        let count = 1 << alphabetBits
        guard counts.count <= count else { throw JPEGXLNumbers.Unreadable() }
        self.counts = counts + [Int](repeating: 0, count: count - counts.count)
        bucketBits = Self.precision - alphabetBits
        buckets = Self.buckets(self.counts, size: 1 << bucketBits)
    }

    func token(_ bits: inout JPEGXLBits, _ state: inout Int) throws -> Int {
        let place = state & (Self.total - 1)
        let index = place >> bucketBits
        let within = place & (1 << bucketBits - 1)
        let bucket = buckets[index]
        let isOther = within >= bucket.cutoff
        let token = isOther ? bucket.other : index
        state = state >> Self.precision * counts[token] + within + (isOther ? bucket.offset : 0)
        if state < 1 << 16 { state = state << 16 | (try bits.number(16)) }
        return token
    }

    private static func buckets(_ counts: [Int], size: Int) -> [Bucket] {
        if let only = counts.firstIndex(of: total) {
            return counts.indices.map { Bucket(cutoff: 0, other: only, offset: $0 * size) }
        }
        var buckets = counts.enumerated().map { Bucket(cutoff: $1, other: $0, offset: 0) }
        var over = counts.indices.filter { counts[$0] > size }
        var under = counts.indices.filter { counts[$0] < size }
        while let full = over.popLast(), let free = under.popLast() {
            buckets[full].cutoff -= size - buckets[free].cutoff
            buckets[free].other = full
            buckets[free].offset = buckets[full].cutoff
            if buckets[full].cutoff < size { under.append(full) }
            if buckets[full].cutoff > size { over.append(full) }
        }
        for index in buckets.indices {
            if buckets[index].cutoff == size {
                buckets[index] = Bucket(cutoff: 0, other: index, offset: 0)
            } else {
                buckets[index].offset -= buckets[index].cutoff
            }
        }
        return buckets
    }

    /// Reads a number from 0 to 255.
    private static func byte(_ bits: inout JPEGXLBits) throws -> Int {
        guard try bits.flag() else { return 0 }
        let width = try bits.number(3)
        return try bits.number(width) + 1 << width
    }

    /// Reads the frequencies of the tokens, whose sum is `total`.
    private static func counts(_ bits: inout JPEGXLBits) throws -> [Int] {
        if try bits.flag() { return try fewCounts(&bits) }
        if try bits.flag() {
            let size = try byte(&bits) + 1
            return (0..<size).map { total / size + ($0 < total % size ? 1 : 0) }
        }
        var width = 0
        while width < 3, try bits.flag() { width += 1 }
        let shift = try bits.number(width) + 1 << width - 1
        guard shift <= precision + 1 else { throw JPEGXLNumbers.Unreadable() }
        let size = try byte(&bits) + 3
        var lengths: [Int] = []
        // The lengths of runs that repeat the previous count, by the index of the first repeated count.
        var repeated: [Int: Int] = [:]
        while lengths.count < size {
            let length = try length(&bits)
            guard length == precision + 1 else {
                lengths.append(length)
                continue
            }
            let count = try byte(&bits) + 4
            repeated[lengths.count] = count
            lengths += [Int](repeating: 0, count: count)
        }
        guard lengths.count == size, repeated[0] == nil else { throw JPEGXLNumbers.Unreadable() }
        return try counts(&bits, lengths, repeated, shift: shift)
    }

    /// Reads the counts of an alphabet in which only one or two tokens are used.
    private static func fewCounts(_ bits: inout JPEGXLBits) throws -> [Int] {
        let hasTwo = try bits.flag()
        let first = try byte(&bits)
        let second = try hasTwo ? byte(&bits) : first
        guard !hasTwo || first != second else { throw JPEGXLNumbers.Unreadable() }
        var counts = [Int](repeating: 0, count: max(first, second) + 1)
        counts[first] = try hasTwo ? bits.number(precision) : total
        if hasTwo { counts[second] = total - counts[first] }
        return counts
    }

    /// Reads the counts, whose lengths in bits are already known. The first count of the greatest length is not stored:
    /// it is `total` minus the sum of the other counts.
    private static func counts(
        _ bits: inout JPEGXLBits, _ lengths: [Int], _ repeated: [Int: Int], shift: Int
    ) throws -> [Int] {
        let isRepeated = repeated.reduce(into: Set<Int>()) { $0.formUnion($1.key..<$1.key + $1.value) }
        var left: Int?
        for index in lengths.indices
        where !isRepeated.contains(index) && lengths[index] > left.map({ lengths[$0] }) ?? -1 {
            left = index
        }
        guard let left else { throw JPEGXLNumbers.Unreadable() }
        var counts = [Int](repeating: 0, count: lengths.count)
        for index in lengths.indices where index != left {
            if isRepeated.contains(index) {
                counts[index] = counts[index - 1]
            } else if lengths[index] > 0 {
                let length = lengths[index] - 1
                let width = max(0, min(length, shift - (precision - length) >> 1))
                counts[index] = 1 << length + (try bits.number(width)) << (length - width)
            }
        }
        let sum = counts.reduce(0, +)
        guard sum < total else { throw JPEGXLNumbers.Unreadable() }
        counts[left] = total - sum
        return counts
    }

    /// Reads the length of a count. 13 marks a run that repeats the previous count.
    private static func length(_ bits: inout JPEGXLBits) throws -> Int {
        switch try bits.number(3) {
        case 0: return 10
        case 1:
            for length in [4, 0, 11, 13] where try bits.flag() { return length }
            return 12
        case 2: return 7
        case 3: return try bits.flag() ? 1 : 3
        case 4: return 6
        case 5: return 8
        case 6: return 9
        default: return try bits.flag() ? 2 : 5
        }
    }
}
