import Support

/// The pages of a gallery, and the places on each page.
struct Site: Sendable {
    struct Page: Sendable {
        /// The path of the page, relative to the gallery.
        let path: String
        let heading: String
        /// The indices in `Site.places` of the places on the page.
        let places: Range<Int>
        /// The month of the places on the page, or nil if they have no date, and the page's number within the month.
        /// Page 1 has the oldest places.
        var month: Month?
        var number = 1

        /// The relative path from the page to the gallery.
        var root: String { path.contains(text: "/") ? "../" : "" }
    }

    struct Month: Sendable, Hashable {
        let year: Int
        let month: Int

        init(_ day: CalendarDay) { (year, month) = (day.year, day.month) }

        /// The name in paths, such as `2024-02`.
        var name: String { String("\(CalendarDay(year: year, month: month, day: 1)!)".prefix(7)) }
        /// The name for people, such as `February 2024`.
        var words: String { "\(EnglishDate.months[month - 1]) \(year)" }
    }

    let settings: GallerySettings
    /// The places, newest first, followed by the places without a date in the order in which they were added.
    let places: [Place]
    /// The start page, the pages of each month, newest first, and the pages of places without a date.
    let pages: [Page]
    /// The index in `pages` of each place's page, which is never the start page.
    let pageOfPlace: [Int]

    static let start = "index.html"
    static let months = "pages/index.html"

    init(_ collection: PlaceCollection, _ settings: GallerySettings) {
        self.settings = settings
        let order = collection.places.indices.sorted { a, b in
            switch (collection.places[a].day, collection.places[b].day) {
            case (let first?, let second?): first == second ? a < b : first > second
            case (_?, nil): true
            case (nil, _?): false
            case (nil, nil): a < b
            }
        }
        let places = order.map { collection.places[$0] }
        self.places = places
        let dated = places.prefix { $0.day != nil }.count
        var pages = [
            Page(path: Self.start, heading: "Newest pictures", places: 0..<min(settings.pageSize, places.count))
        ]
        var start = 0
        while start < dated, let day = places[start].day {
            let month = Month(day)
            let count = places[start..<dated].prefix { $0.day.map(Month.init) == month }.count
            pages += Self.pages(of: start..<start + count, settings.pageSize, month.name, month.words, month)
            start += count
        }
        pages += Self.pages(of: dated..<places.count, settings.pageSize, "undated", "Without a date")
        var pageOfPlace = [Int](repeating: 0, count: places.count)
        for (number, page) in pages.enumerated().dropFirst() {
            for place in page.places { pageOfPlace[place] = number }
        }
        self.pages = pages
        self.pageOfPlace = pageOfPlace
    }

    /// Divides the places of a month, or the places without a date, into pages. Page 1 has the oldest places, so that
    /// new places change only the last page.
    private static func pages(
        of places: Range<Int>, _ size: Int, _ name: String, _ words: String, _ month: Month? = nil
    ) -> [Page] {
        let pages = stride(from: 0, to: places.count, by: size).map { offset in
            let number = offset / size + 1
            let (first, last) = (offset, min(offset + size, places.count))
            // Places without a date are in the order in which they were added. All others are in descending order.
            let range =
                month == nil
                ? places.lowerBound + first..<places.lowerBound + last
                : places.upperBound - last..<places.upperBound - first
            return Page(
                path: number == 1 ? "pages/\(name).html" : "pages/\(name).\(number).html",
                heading: number == 1 ? words : "\(words), page \(number)", places: range, month: month, number: number)
        }
        return month == nil ? pages : pages.reversed()
    }

    /// Returns the address of a place, relative to the gallery.
    func address(of place: Int) -> String { "\(pages[pageOfPlace[place]].path)#\(places[place].id)" }

    /// Returns the address of a place, relative to a page.
    func link(to place: Int, from page: Page) -> String {
        page.places.contains(place) ? "#\(places[place].id)" : page.root + address(of: place)
    }

    /// Returns the address of a place on the first page of its month. It can be used before the number of the place's
    /// page is known, because scripts then find the page.
    static func address(of place: Place) -> String {
        "pages/\(place.day.map { Month($0).name } ?? "undated").html#\(place.id)"
    }
}

enum EnglishDate {
    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// Formats a day as `3 February 2024`.
    static func words(_ day: CalendarDay) -> String { "\(day.day) \(months[day.month - 1]) \(day.year)" }
}
