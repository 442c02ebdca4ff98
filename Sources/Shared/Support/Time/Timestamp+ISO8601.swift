extension Timestamp {
    /// Parses a day such as `2026-11-21`, as its first moment in UTC, or a time of RFC 3339 §5.6 such as
    /// `2026-11-21T04:04:05.25+01:00`, to the millisecond. Returns nil for other text, including leap seconds.
    public init?(iso8601 text: some StringProtocol) {
        var rest = Array(text.utf8)[...]
        guard let day = CalendarDay(String(decoding: rest.prefix(10), as: UTF8.self)) else { return nil }
        rest = rest.dropFirst(10)

        /// Removes and returns the first byte if it is in `letters`.
        func take(_ letters: String) -> UInt8? {
            guard let first = rest.first, letters.utf8.contains(first) else { return nil }
            return rest.removeFirst()
        }
        /// Removes and returns a number of two digits below `end`.
        func take(below end: Int64) -> Int64? {
            guard let tens = take("0123456789"), let ones = take("0123456789") else { return nil }
            let number = Int64(tens - 48) * 10 + Int64(ones - 48)
            return number < end ? number : nil
        }
        /// Removes hours and minutes, such as `03:04`, and returns their sum in minutes.
        func takeClock() -> Int64? {
            guard let hours = take(below: 24), take(":") != nil, let minutes = take(below: 60) else { return nil }
            return hours * 60 + minutes
        }

        var time: Int64 = 0
        if !rest.isEmpty {
            guard take("Tt") != nil, let minutes = takeClock(), take(":") != nil, let seconds = take(below: 60) else {
                return nil
            }
            time = (minutes * 60 + seconds) * 1000
            if take(".") != nil {
                guard let first = take("0123456789") else { return nil }
                time += Int64(first - 48) * 100
                for unit: Int64 in [10, 1] { time += take("0123456789").map { Int64($0 - 48) * unit } ?? 0 }
                while take("0123456789") != nil {}
            }
            guard let zone = take("Zz+-") else { return nil }
            if zone == UInt8(ascii: "+") || zone == UInt8(ascii: "-") {
                guard let offset = takeClock() else { return nil }
                time -= (zone == UInt8(ascii: "+") ? offset : -offset) * 60_000
            }
        }
        guard rest.isEmpty else { return nil }
        self.init(milliseconds: Int64(day.daysSince1970) * 86_400_000 + time)
    }
}
