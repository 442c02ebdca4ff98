import Support

/// Neighbouring days that one request can answer, in ascending or descending order.
struct PageWindow {
    /// Days further apart than this are asked for singly: a page of which most is thrown away costs more than two
    /// requests.
    private static let widestStep = 3
    private static let gaps = PublishedDays.gaps.map(\.daysSince1970)

    private(set) var days: [CalendarDay]
    private let service: Service
    private var span: ClosedRange<Int>

    /// - Parameter service: the one whose pages count: 25 days of the new one, a calendar month of the old one.
    init(_ day: CalendarDay, for service: Service) {
        days = [day]
        self.service = service
        span = day.daysSince1970...day.daysSince1970
    }

    /// Adds a day where it fits; false where another window must begin. None crosses a gap: a range of the old service
    /// fails as a whole when one day in it has no page.
    mutating func add(_ day: CalendarDay) -> Bool {
        guard let last = days.last else { return false }
        let number = day.daysSince1970
        let step = min(last.daysSince1970, number)...max(last.daysSince1970, number)
        let widened = min(span.lowerBound, number)...max(span.upperBound, number)
        let fits =
            switch service {
            // By its years of two digits, a page from 99 to 00 would end before it begins.
            case .science: widened.count <= ServiceClient.pageLimit && (day.year < 2000) == (last.year < 2000)
            case .api: (day.year, day.month) == (last.year, last.month)
            }
        guard fits, step.count - 1 <= Self.widestStep, !Self.gaps.contains(where: step.contains) else { return false }
        days.append(day)
        span = widened
        return true
    }
}

/// Divides days into groups that one request each can answer.
enum PageWindows {
    /// The days in their order, cut into windows.
    static func windows(of days: [CalendarDay], for service: Service) -> [[CalendarDay]] {
        var windows: [PageWindow] = []
        for day in days where windows.isEmpty || !windows[windows.count - 1].add(day) {
            windows.append(PageWindow(day, for: service))
        }
        return windows.map(\.days)
    }
}
