import Support

extension Service {
    /// The maximum number of days in an answer of the new service.
    static let pageLimit = 25
    /// The maximum number of days in any request.
    static let mostDays = 31
    /// The maximum distance in days between successive days of a request. With larger distances, most of the answer
    /// would be discarded, which costs more than a second request.
    private static let widestStep = 3

    /// Returns the number of days, counted from the first of these days, that one request can fetch. The days must be
    /// close to each other (`widestStep`), in ascending or descending order, within 25 days for the new service or
    /// within a calendar month for the old service.
    ///
    /// No request crosses a gap: the old service refuses a range if one of its days has no page.
    func daysPerRequest(of days: some Sequence<CalendarDay>) -> Int {
        var count = 0
        var last: CalendarDay?
        var span = 0...0
        for day in days {
            let number = day.daysSince1970
            if let last {
                let step = min(last.daysSince1970, number)...max(last.daysSince1970, number)
                let widened = min(span.lowerBound, number)...max(span.upperBound, number)
                let fits =
                    switch self {
                    // The new service writes years with two digits, so a range from 99 to 00 (1999 to 2000) would end
                    // before it begins.
                    case .science: widened.count <= Self.pageLimit && (day.year < 2000) == (last.year < 2000)
                    case .api: (day.year, day.month) == (last.year, last.month)
                    }
                guard fits, step.count - 1 <= Self.widestStep,
                    !PublishedDays.gaps.contains(where: { step.contains($0.daysSince1970) })
                else { return count }
                span = widened
            } else {
                span = number...number
            }
            last = day
            count += 1
        }
        return count
    }
}
