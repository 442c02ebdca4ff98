import HTTP
import Support

extension ServiceClient {
    /// Returns `BASE/YYMMDD` or `BASE?date=YYYY-MM-DD`. Throws `FetchFailure` if the address cannot be resolved against
    /// the base.
    func address(of day: CalendarDay) throws -> WebURL {
        switch service {
        case .science:
            let path = base.path.hasSuffix("/") ? base.path : base.path + "/"
            return try base.resolving(path + Self.sixDigits(day) + (base.query.map { "?\($0)" } ?? ""))
        case .api:
            // `thumbs` requests the stills of videos.
            return base.appendingQueryItem("date", day.description).appendingQueryItem("thumbs", "true")
        }
    }

    /// Returns the address of a list of days. The new service has pages of 25 days, newest first, and repeats the first
    /// page after the last page. Therefore only the first page is requested.
    func address(from first: CalendarDay, through last: CalendarDay) -> WebURL {
        switch service {
        case .science:
            base.appendingQueryItem("date_from", Self.sixDigits(first))
                .appendingQueryItem("date_to", Self.sixDigits(last))
                .appendingQueryItem("per_page", String(Service.pageLimit)).appendingQueryItem("page", "1")
        case .api:
            base.appendingQueryItem("start_date", first.description).appendingQueryItem("end_date", last.description)
                .appendingQueryItem("thumbs", "true")
        }
    }

    /// Returns the address of the new service's list of the newest days, at most a page. The service's list begins with
    /// the newest day if the query does not limit the days.
    func address(ofNewest count: Int) -> WebURL {
        base.appendingQueryItem("per_page", String(count)).appendingQueryItem("page", "1")
    }

    /// Returns `150603` for 2015-06-03. The new service writes years with two digits, of which 95 to 99 are before
    /// 2000.
    static func sixDigits(_ day: CalendarDay) -> String { String(day.description.filter { $0 != "-" }.suffix(6)) }
}
