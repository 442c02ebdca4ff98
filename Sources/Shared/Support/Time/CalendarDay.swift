/// A day of the Gregorian calendar, without a time or a time zone. Written `2026-11-21`.
public struct CalendarDay: Sendable, Hashable, Comparable, CustomStringConvertible {
    public let year: Int
    public let month: Int
    public let day: Int

    /// Returns nil if the calendar has no such day, such as 2024-02-30.
    public init?(year: Int, month: Int, day: Int) {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.length(ofMonth: month, year: year)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Parses a day such as `2024-02-03`, with exactly four, two and two digits.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            guard bytes[range].allSatisfy(\.isDigit) else { return nil }
            return bytes[range].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// Returns the day `count` days after 1970-01-01, clamped to the years 1 to 9999.
    ///
    /// Calculates with proleptic Gregorian eras of 146,097 days, and years that begin in March.
    public init(daysSince1970 count: Int) {
        let shifted = min(max(count, -719_162), 2_932_896) + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days since 1970-01-01; negative before it.
    public var daysSince1970: Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = marchYear / 400
        let yearOfEra = marchYear % 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Returns the day at `time` in a zone that is `offset` ahead of UTC.
    public init(at time: Timestamp, offset: Duration = .zero) {
        let milliseconds = (time + offset).milliseconds
        self.init(
            daysSince1970: Int(milliseconds >= 0 ? milliseconds / 86_400_000 : (milliseconds - 86_399_999) / 86_400_000)
        )
    }

    public static func < (a: CalendarDay, b: CalendarDay) -> Bool {
        (a.year, a.month, a.day) < (b.year, b.month, b.day)
    }

    public func advanced(by days: Int) -> CalendarDay { CalendarDay(daysSince1970: daysSince1970 + days) }

    public var description: String {
        String(unsafeUninitializedCapacity: 10) { bytes in
            write(to: bytes)
            return 10
        }
    }

    /// Writes the ten bytes of `description`.
    func write(to bytes: UnsafeMutableBufferPointer<UInt8>) {
        bytes.write(year, digits: 4, at: 0)
        bytes[4] = UInt8(ascii: "-")
        bytes.write(month, digits: 2, at: 5)
        bytes[7] = UInt8(ascii: "-")
        bytes.write(day, digits: 2, at: 8)
    }

    /// - Parameter month: 1 to 12.
    public static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    /// Writes the last digits of a number that is not negative, padded with zeros.
    func write(_ number: Int, digits: Int, at place: Int) {
        var rest = number
        for index in (place..<place + digits).reversed() {
            self[index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
    }
}
