import Support

/// The pages of a gallery, and the items on each page.
struct Site: Sendable {
    struct Page: Sendable {
        /// The path of the page, relative to the gallery.
        let path: String
        let heading: String
        /// The indices in `Site.items` of the items on the page.
        let items: Range<Int>
        /// The month of the items on the page, or nil if they have no date, and the page's number within the month.
        /// Page 1 has the oldest items.
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
    /// The items, newest first, followed by the items without a date in the order in which they were added.
    let items: [GalleryItem]
    /// The start page, the pages of each month, newest first, and the pages of items without a date.
    let pages: [Page]
    /// The index in `pages` of each item's page, which is never the start page.
    let pageOfItem: [Int]
    /// The groups that have pictures, in alphabetical order.
    let groups: [Group]

    static let start = "index.html"
    static let months = "pages/index.html"

    init(_ collection: GalleryItems, _ settings: GallerySettings) {
        self.settings = settings
        let order = collection.items.indices.sorted { a, b in
            switch (collection.items[a].day, collection.items[b].day) {
            case (let first?, let second?): first == second ? a < b : first > second
            case (_?, nil): true
            case (nil, _?): false
            case (nil, nil): a < b
            }
        }
        let items = order.map { collection.items[$0] }
        self.items = items
        let dated = items.prefix { $0.day != nil }.count
        var pages = [
            Page(path: Self.start, heading: "Newest pictures", items: 0..<min(settings.pageSize, items.count))
        ]
        var start = 0
        while start < dated, let day = items[start].day {
            let month = Month(day)
            let count = items[start..<dated].prefix { $0.day.map(Month.init) == month }.count
            pages += Self.pages(of: start..<start + count, settings.pageSize, month.name, month.words, month)
            start += count
        }
        pages += Self.pages(of: dated..<items.count, settings.pageSize, "undated", "Without a date")
        var pageOfItem = [Int](repeating: 0, count: items.count)
        for (number, page) in pages.enumerated().dropFirst() {
            for item in page.items { pageOfItem[item] = number }
        }
        groups = settings.groupField == nil ? [] : Self.groups(of: items)
        self.pages = pages
        self.pageOfItem = pageOfItem
    }

    /// Divides the items of a month, or the items without a date, into pages. Page 1 has the oldest items, so that
    /// new items change only the last page.
    private static func pages(
        of items: Range<Int>, _ size: Int, _ name: String, _ words: String, _ month: Month? = nil
    ) -> [Page] {
        let pages = stride(from: 0, to: items.count, by: size).map { offset in
            let number = offset / size + 1
            let (first, last) = (offset, min(offset + size, items.count))
            // Items without a date are in the order in which they were added. All others are in descending order.
            let range =
                month == nil
                ? items.lowerBound + first..<items.lowerBound + last
                : items.upperBound - last..<items.upperBound - first
            return Page(
                path: number == 1 ? "pages/\(name).html" : "pages/\(name).\(number).html",
                heading: number == 1 ? words : "\(words), page \(number)", items: range, month: month, number: number)
        }
        return month == nil ? pages : pages.reversed()
    }

    /// Reads the record of an item. Throws `SystemFailure`, `ChangedRecords`.
    func content(_ item: Int) throws -> ItemContent { try items[item].content() }

    /// Returns the address of an item, relative to the gallery.
    func address(of item: Int) -> String { "\(pages[pageOfItem[item]].path)#\(items[item].id)" }

    /// Returns the address of an item, relative to a page.
    func link(to item: Int, from page: Page) -> String {
        page.items.contains(item) ? "#\(items[item].id)" : page.root + address(of: item)
    }

    /// Returns the address of an item on the first page of its month. It can be used before the number of the item's
    /// page is known, because scripts then find the page.
    static func address(of item: GalleryItem) -> String {
        "pages/\(item.day.map { Month($0).name } ?? "undated").html#\(item.id)"
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
