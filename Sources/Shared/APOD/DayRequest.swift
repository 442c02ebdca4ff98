import Support

/// The days whose pictures somebody wants.
public enum DayRequest: Sendable, Equatable {
    /// The newest picture that is published.
    case newest
    case day(CalendarDay)
    /// All days from `start` to `end`, the two included; to the newest one where `end` is nil.
    case range(start: CalendarDay, end: CalendarDay?)
    /// That many different days, 1 to 100, drawn at random. The new service has no random mode, so they are drawn here:
    /// the same seed draws the same days in the same order, but for those that were published since.
    case random(count: Int, seed: UInt64)

    /// The most days that one call draws, as in the old service.
    public static let countLimit = 100
}

/// A request worked out for a point in time: which days to ask for.
public enum DayPlan: Sendable, Equatable {
    /// The newest picture: this day's, or that of the day before as long as it isn't out, `DayPlan.stepsBack` times at most.
    case newest(from: CalendarDay)
    /// These days in this order. Where `endIsOpen`, the last one is left out quietly if it isn't published yet.
    case days([CalendarDay], endIsOpen: Bool)

    /// How many days `newest` goes back: a day's silence has happened, three in a row only in the first week.
    public static let stepsBack = 3

    /// Decides without a request. Throws `UsageFailure` for a day or a number that can't be.
    public init(_ request: DayRequest, at time: Timestamp) throws {
        let newest = PublishedDays.newest(at: time)
        switch request {
        case .newest: self = .newest(from: newest)
        case .day(let day):
            try PublishedDays.check(day, at: time)
            self = .days([day], endIsOpen: false)
        case .range(let start, let end):
            try PublishedDays.check(start, at: time)
            if let end { try PublishedDays.check(end, at: time) }
            let last = end ?? max(start, newest)
            guard start <= last else { throw UsageFailure("the range ends on \(last), before it starts on \(start)") }
            self = .days(PublishedDays.days(from: start, through: last), endIsOpen: end == nil)
        case .random(let count, let seed):
            guard (1...DayRequest.countLimit).contains(count) else {
                throw UsageFailure("\(count) is not a number of days; give one from 1 to \(DayRequest.countLimit)")
            }
            // The newest day may not be out yet.
            var lottery = DayLottery(through: newest.advanced(by: -1), seed: seed)
            guard count <= lottery.published else {
                throw UsageFailure("only \(lottery.published) days have a picture; check the clock of this machine")
            }
            self = .days(lottery.draw(count), endIsOpen: false)
        }
    }
}

/// Draws days that have a picture, each at most once.
struct DayLottery {
    /// How many days can be drawn.
    let published: Int
    private let last: CalendarDay
    private var generator: SplitMix64

    init(through last: CalendarDay, seed: UInt64) {
        self.last = last
        let length = last.daysSince1970 - PublishedDays.first.daysSince1970 + 1
        published = max(0, length - PublishedDays.gaps.count { $0 <= last })
        generator = SplitMix64(seed: seed)
    }

    /// Draws numbers below the next power of two and rejects those that are no published day: all days are equally
    /// likely, and a new day each morning doesn't change what a seed has drawn before, unless it is drawn itself.
    ///
    /// - Precondition: no more than `published`, and none drawn before.
    mutating func draw(_ count: Int) -> [CalendarDay] {
        let first = PublishedDays.first.daysSince1970
        let length = max(1, last.daysSince1970 - first + 1)
        let mask = UInt64(length.nextPowerOfTwo - 1)
        var drawn: [CalendarDay] = []
        while drawn.count < min(count, published) {
            let number = Int(generator.next() & mask)
            let day = CalendarDay(daysSince1970: first + number)
            guard number < length, !PublishedDays.gaps.contains(day), !drawn.contains(day) else { continue }
            drawn.append(day)
        }
        return drawn
    }
}

extension Int {
    /// The smallest power of two that is at least this positive number.
    fileprivate var nextPowerOfTwo: Int { self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
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
