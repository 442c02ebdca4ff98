import Support

/// Divides days into groups that one request each can answer.
enum PageWindows {
    /// Days further apart than this are asked for singly: a page of which most is thrown away costs more than two
    /// requests.
    private static let widestStep = 3

    /// The days in their order, cut into runs of neighbours, in either direction, of which each fits on a page. No run
    /// crosses a gap: a range of the old service fails as a whole when one day in it has no page.
    static func windows(of days: [CalendarDay]) -> [[CalendarDay]] {
        let gaps = PublishedDays.gaps.map(\.daysSince1970)
        var windows: [[CalendarDay]] = []
        var window: [CalendarDay] = []
        var span = 0...0
        for day in days {
            let number = day.daysSince1970
            if let last = window.last?.daysSince1970 {
                let widened = min(span.lowerBound, number)...max(span.upperBound, number)
                let step = min(last, number)...max(last, number)
                if widened.count <= ServiceClient.pageLimit, step.count - 1 <= widestStep,
                    !gaps.contains(where: step.contains)
                {
                    window.append(day)
                    span = widened
                    continue
                }
                windows.append(window)
            }
            window = [day]
            span = number...number
        }
        if !window.isEmpty { windows.append(window) }
        return windows
    }
}
