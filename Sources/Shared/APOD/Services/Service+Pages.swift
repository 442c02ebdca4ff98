import Support

extension Service {
    /// The maximum number of days in an answer of the new service.
    static let pageLimit = 25
    /// The maximum number of days in any request.
    static let mostDays = 31
    /// Days further apart are requested singly: discarding most of a page costs more than two requests.
    private static let widestStep = 3

    /// Returns the number of these days, from the first, that one request can answer: neighbours in ascending or
    /// descending order, within 25 days for the new service or a calendar month for the old one.
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
                    // The years of the new service have two digits, so a page from 99 to 00 would end before it begins.
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
