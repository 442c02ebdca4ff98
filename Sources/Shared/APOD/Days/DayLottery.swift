import Support

/// Draws days that have a picture, each at most once.
struct DayLottery {
    /// How many days can be drawn.
    let published: Int
    private let has: @Sendable (CalendarDay) -> Bool
    private var generator: SplitMix64

    /// How many days are drawn from, most of them not yet published: until 2174 the same, so that a seed draws for ever
    /// what it once drew.
    private static let drum = 1 << 16

    init(through last: CalendarDay, seed: UInt64) {
        has = { $0 <= last && !PublishedDays.gaps.contains($0) }
        published = PublishedDays.count(through: last)
        generator = SplitMix64(seed: seed)
    }

    /// Draws from these days alone.
    init(from days: Set<CalendarDay>, seed: UInt64) {
        has = { days.contains($0) }
        published = days.count
        generator = SplitMix64(seed: seed)
    }

    /// Draws from all days of the drum and puts back those that have no picture: all others are equally likely, and a
    /// new day each morning doesn't change what a seed has drawn before, unless it is drawn itself.
    ///
    /// Cost: O(count) memory; each day about six draws, up to sixty if nearly all of them are wanted. The last of few
    /// days takes 65,536, a few milliseconds.
    ///
    /// - Precondition: no more than `published`, and none drawn before.
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

/// Sebastiano Vigna's SplitMix64: a small generator whose sequence for a seed is fixed by its definition, unlike the
/// system's.
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
