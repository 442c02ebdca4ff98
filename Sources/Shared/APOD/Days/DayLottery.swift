import Support

/// Draws random days that have a picture, without repetition.
struct DayLottery {
    /// The number of days that can be drawn.
    let published: Int
    private let has: @Sendable (CalendarDay) -> Bool
    private var generator: SplitMix64

    /// The number of candidates: all days from the first picture until 2174, most of which are in the future. The
    /// number is constant, so that a seed always draws the same days.
    private static let drum = 1 << 16

    init(through last: CalendarDay, seed: UInt64) {
        has = { $0 <= last && !PublishedDays.gaps.contains($0) }
        published = PublishedDays.count(through: last)
        generator = SplitMix64(seed: seed)
    }

    /// Creates a lottery of these days.
    init(from days: Set<CalendarDay>, seed: UInt64) {
        has = { days.contains($0) }
        published = days.count
        generator = SplitMix64(seed: seed)
    }

    /// Draws from all candidates and rejects days without a picture, so that all days with a picture are equally
    /// likely. A newly published day changes the days that a seed draws only if the seed draws the new day.
    ///
    /// Cost: O(count) memory, and about six random numbers per day, or up to sixty if nearly all days are drawn. If
    /// only a few days have a picture, the last of them takes about 65,536 random numbers, which is a few milliseconds.
    ///
    /// - Precondition: `count` is at most `published`, and this is the first call.
    mutating func draw(_ count: Int) -> [CalendarDay] {
        var days: [CalendarDay] = []
        var drawn: Set<Int> = []
        while days.count < min(count, published) {
            let number = Int(generator.next() & UInt64(Self.drum - 1))
            let day = PublishedDays.first.advanced(by: number)
            guard has(day), drawn.insert(number).inserted else { continue }
            days.append(day)
        }
        return days
    }
}

/// Sebastiano Vigna's SplitMix64, a small random number generator. Unlike the system's generator, it has a defined
/// sequence for each seed.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
