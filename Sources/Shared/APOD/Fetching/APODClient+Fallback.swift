import Support

extension APODClient {
    /// The maximum number of days to search backwards for an image. Every year so far had images.
    private static let fallbackDays = 365

    /// With the option `fallsBack`, replaces each result that has no image by the latest earlier image. Throws
    /// `Cancelled`, or a failure that ends the run.
    func withFallback(_ results: [DayResult]) throws -> [DayResult] {
        guard options.fallsBack, results.contains(where: lacksImage) else { return results }
        var known = Dictionary(results.map { ($0.picture?.day ?? $0.day, $0) }, uniquingKeysWith: { first, _ in first })
        return try results.map { lacksImage($0) ? try previousImage(to: $0, known: &known) : $0 }
    }

    /// Searches backwards for an image, one page of days at a time. A failure that does not exclude an image, such as a
    /// network failure, ends the search and is returned.
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
                log.detail("\(result.day) has no image; \(found.picture == nil ? "\(day) failed" : "using \(day)")")
                return found.answering(result.day)
            }
            day = day.advanced(by: -1)
        }
        return result
    }

    /// Returns whether to replace a result: whether its day has another medium, no picture or a stand-in, or is not
    /// published yet. With `requiresToday`, an unpublished day is not replaced.
    private func lacksImage(_ result: DayResult) -> Bool {
        switch result.outcome {
        case .picture(let picture): picture.mediaType != .image
        case .failed(APODFailure.notPublished): !options.requiresToday
        case .failed(APODFailure.noPicture), .failed(APODFailure.nothingRecent), .failed(APODFailure.standIn): true
        case .failed: false
        }
    }
}
