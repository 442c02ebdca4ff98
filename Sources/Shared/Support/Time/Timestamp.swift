import Libc

/// A point in time: whole milliseconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Sendable, Hashable, Comparable {
    public var milliseconds: Int64

    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }

    /// Saturates at the ends of the range instead of overflowing.
    public static func + (time: Timestamp, span: Duration) -> Timestamp {
        let (sum, overflow) = time.milliseconds.addingReportingOverflow(span.milliseconds)
        return Timestamp(milliseconds: overflow ? (span < .zero ? .min : .max) : sum)
    }

    public static func - (time: Timestamp, span: Duration) -> Timestamp { time + (.zero - span) }

    /// Saturates like `+`.
    public static func - (a: Timestamp, b: Timestamp) -> Duration {
        let (difference, overflow) = a.milliseconds.subtractingReportingOverflow(b.milliseconds)
        return .milliseconds(overflow ? (a < b ? .min : .max) : difference)
    }

    /// `2026-11-21T03:04:05Z`: UTC, to the second.
    public var iso8601: String {
        let seconds = milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
        let dayNumber = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let second = seconds - dayNumber * 86_400
        return String(unsafeUninitializedCapacity: 20) { bytes in
            CalendarDay(daysSince1970: Int(dayNumber)).write(to: bytes)
            for (place, mark, number) in [
                (10, "T", second / 3600), (13, ":", second / 60 % 60), (16, ":", second % 60),
            ] as [(Int, Unicode.Scalar, Int64)] {
                bytes[place] = UInt8(ascii: mark)
                bytes.write(Int(number), digits: 2, at: place + 1)
            }
            bytes[19] = UInt8(ascii: "Z")
            return 20
        }
    }

    /// `2026-11-21T03:04:05.678Z`: UTC, to the millisecond.
    public var iso8601Milliseconds: String {
        let rest = (milliseconds % 1000 + 1000) % 1000
        return "\(iso8601.dropLast()).\(rest < 100 ? "0" : "")\(rest < 10 ? "0" : "")\(rest)Z"
    }
}

/// The source of the current time: the system, or a test.
public struct Clock: Sendable {
    public let now: @Sendable () -> Timestamp

    public init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    public static let system = Clock(now: Timestamp.now)

    /// A stored date that is further than this in the future was written before the clock was set back, so no age can
    /// be computed from it. Smaller differences come from clock adjustments and from processes that run in parallel.
    public static let tolerance: Duration = .seconds(60)
}
