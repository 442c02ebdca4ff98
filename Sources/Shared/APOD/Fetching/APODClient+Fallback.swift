import Support

extension APODClient {
    /// How far back an image is looked for: in no year was there none.
    private static let fallbackDays = 365

    /// Returns the results with the latest image before it in the place of each that has none, if that is wanted.
    /// Throws `Cancelled`, or a failure that ends the run.
    ///
    /// - Parameter results: of one window, in any order; what they know of other days is not asked for again.
    func withFallback(_ results: [DayResult]) throws -> [DayResult] {
        guard options.fallsBack, results.contains(where: lacksImage) else { return results }
        var known = Dictionary(results.map { ($0.picture?.day ?? $0.day, $0) }, uniquingKeysWith: { first, _ in first })
        return try results.map { lacksImage($0) ? try previousImage(to: $0, known: &known) : $0 }
    }

    /// Looks a page at a time. A day that cannot be asked for now ends the search, since it may be the one.
    private func previousImage(to result: DayResult, known: inout [CalendarDay: DayResult]) throws -> DayResult {
        let start = result.picture?.day ?? result.day
        let earliest = max(PublishedDays.first, start.advanced(by: -Self.fallbackDays))
        var day = start.advanced(by: -1)
        while day >= earliest {
            if known[day] == nil {
                let first = max(earliest, day.advanced(by: 1 - Service.pageLimit))
                let page = PublishedDays.days(from: first, through: day).filter { known[$0] == nil }
                for found in try self.results(of: page) { known[found.day] = found }
            }
            if let found = known[day], !lacksImage(found) {
                log.detail("\(result.day) has no image; \(day) has")
                return found.answering(result.day)
            }
            day = day.advanced(by: -1)
        }
        return result
    }

    /// Returns whether it is certain that there is no image: another medium, nothing, or a stand-in.
    private func lacksImage(_ result: DayResult) -> Bool {
        switch result.outcome {
        case .picture(let picture): picture.mediaType != .image
        case .failed(APODFailure.notPublished): !options.requiresToday
        case .failed(APODFailure.noPicture), .failed(APODFailure.nothingRecent), .failed(APODFailure.standIn): true
        case .failed: false
        }
    }
}
