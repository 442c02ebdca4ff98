import Support

/// The new service's form of a date: `260203`. The years 95 to 99 are 1995 to 1999.
extension CalendarDay {
    /// Returns nil if there is no such day.
    init?(sixDigits text: some StringProtocol) {
        guard text.utf8.count == 6, let number = Int(text), number >= 0 else { return nil }
        let year = number / 10_000
        self.init(year: year < 95 ? 2000 + year : 1900 + year, month: number / 100 % 100, day: number % 100)
    }

    var sixDigits: String { String(description.filter { $0 != "-" }.suffix(6)) }
}
