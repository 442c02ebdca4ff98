/// Decodes entropy-coded numbers (ISO/IEC 18181-1 annex C). Profiles and the order of sections consist of such numbers;
/// only a decoder can find where they end.
struct JPEGXLNumbers {
    /// The stream is damaged, or uses a later version of the format.
    struct Unreadable: Error {}

    /// The division of a number into a token and extra bits (C.3.3).
    private struct Split {
        let exponent: Int
        let high: Int
        let low: Int

        init(_ bits: inout JPEGXLBits, alphabetBits: Int) throws {
            exponent = try bits.number(bitsFor(alphabetBits))
            guard exponent != alphabetBits else {
                (high, low) = (0, 0)
                return
            }
            high = try bits.number(bitsFor(exponent))
            guard high <= exponent else { throw Unreadable() }
            low = try bits.number(bitsFor(exponent - high))
            guard high + low <= exponent else { throw Unreadable() }
        }

        func number(_ token: Int, _ bits: inout JPEGXLBits) throws -> Int {
            guard token >= 1 << exponent else { return token }
            let count = exponent - high - low + (token - 1 << exponent) >> (high + low)
            guard count <= 32 else { throw Unreadable() }
            let top = token >> low & (1 << high - 1) | 1 << high
            return (top << count | (try bits.number(count))) << low | token & (1 << low - 1)
        }
    }

    private enum Code {
        case prefix(JPEGXLPrefixCode)
        case distribution(JPEGXLDistribution)
    }

    /// The state of LZ77: copies of earlier numbers (C.3.2).
    private struct Repetition {
        let firstToken: Int
        let shortest: Int
        let split: Split
        var numbers: [Int] = []
        var left = 0
        var place = 0

        init(_ bits: inout JPEGXLBits) throws {
            firstToken = try bits.choice([(0, 224), (0, 512), (0, 4096), (15, 8)])
            shortest = try bits.choice([(0, 3), (0, 4), (2, 5), (8, 9)])
            split = try Split(&bits, alphabetBits: 8)
        }

        mutating func next() -> Int {
            defer {
                place += 1
                left -= 1
            }
            return numbers[place]
        }
    }

    private var repetition: Repetition?
    /// For each context, the index of its code.
    private let clusters: [UInt8]
    private let splits: [Split]
    private let codes: [Code]
    /// The state of the ANS decoder, shared by all distributions.
    private var state = 0

    /// Reads the codes of all contexts.
    init(_ bits: inout JPEGXLBits, contexts: Int, mayRepeat: Bool = true) throws {
        let repeats = try bits.flag()
        guard mayRepeat || !repeats else { throw Unreadable() }
        repetition = repeats ? try Repetition(&bits) : nil
        clusters = try Self.clusters(&bits, contexts: contexts + (repeats ? 1 : 0))
        let count = Int(clusters.max() ?? 0) + 1
        let hasPrefixes = try bits.flag()
        let alphabetBits = try hasPrefixes ? 15 : bits.number(2) + 5
        splits = try (0..<count).map { _ in try Split(&bits, alphabetBits: alphabetBits) }
        if hasPrefixes {
            let sizes = try (0..<count).map { _ in try JPEGXLPrefixCode.alphabetSize(&bits) }
            codes = try sizes.map { .prefix(try JPEGXLPrefixCode(&bits, alphabetSize: $0)) }
        } else {
            codes = try (0..<count).map { _ in
                .distribution(try JPEGXLDistribution(&bits, alphabetBits: alphabetBits))
            }
            state = try bits.number(32)
        }
    }

    /// Reads the map from contexts to codes (C.2.2).
    private static func clusters(_ bits: inout JPEGXLBits, contexts: Int) throws -> [UInt8] {
        if contexts == 1 { return [0] }
        if try bits.flag() {
            let width = try bits.number(2)
            return try (0..<contexts).map { _ in UInt8(try bits.number(width)) }
        }
        let movesToFront = try bits.flag()
        var numbers = try JPEGXLNumbers(&bits, contexts: 1, mayRepeat: contexts > 2)
        var order = Array(UInt8.min...UInt8.max)
        return try (0..<contexts).map { _ in
            let number = try numbers.next(&bits, context: 0)
            guard number < 256 else { throw Unreadable() }
            guard movesToFront else { return UInt8(number) }
            let cluster = order.remove(at: number)
            order.insert(cluster, at: 0)
            return cluster
        }
    }

    mutating func next(_ bits: inout JPEGXLBits, context: Int) throws -> Int {
        guard var repetition else { return try fresh(&bits, clusters[context]) }
        // With a second reference to `repetition.numbers`, `append` would copy the array.
        self.repetition = nil
        defer { self.repetition = repetition }
        if repetition.left == 0 {
            let token = try token(&bits, clusters[context])
            if token >= repetition.firstToken {
                repetition.left =
                    try repetition.split.number(token - repetition.firstToken, &bits) + repetition.shortest
                let distance = try fresh(&bits, clusters[clusters.count - 1]) + 1
                guard !repetition.numbers.isEmpty else { throw Unreadable() }
                repetition.place = repetition.numbers.count - min(distance, repetition.numbers.count, 1 << 20)
            } else {
                repetition.numbers.append(try splits[Int(clusters[context])].number(token, &bits))
                return repetition.numbers[repetition.numbers.count - 1]
            }
        }
        let number = repetition.next()
        repetition.numbers.append(number)
        return number
    }

    private mutating func fresh(_ bits: inout JPEGXLBits, _ cluster: UInt8) throws -> Int {
        try splits[Int(cluster)].number(token(&bits, cluster), &bits)
    }

    private mutating func token(_ bits: inout JPEGXLBits, _ cluster: UInt8) throws -> Int {
        switch codes[Int(cluster)] {
        case .prefix(let code): try code.token(&bits)
        case .distribution(let distribution): try distribution.token(&bits, &state)
        }
    }
}

/// The number of bits for a number from 0 to `largest`.
private func bitsFor(_ largest: Int) -> Int { Int.bitWidth - largest.leadingZeroBitCount }
