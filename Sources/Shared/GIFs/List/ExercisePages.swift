import Records

/// Puts the pages of the service's list together. Pure.
///
/// There is no total and no link to the next page, so the list ends with a page that is shorter than the first. The
/// first one says how long pages are: a plan that gives fewer at once than were asked for doesn't say so.
struct ExercisePages {
    /// How many are asked for at once. Each page is one of the few requests that a plan has; the service gives all that
    /// it has at once, which are some 1,300 of about a kilobyte, so this is 3 requests and half a megabyte each.
    static let limit = 500
    /// No service has so many pages; one that never ends is stopped.
    private static let mostPages = 10_000

    private(set) var exercises: [Record] = []
    /// Where the next page begins; nil if there is none.
    private(set) var nextOffset: Int? = 0
    private var seen: Set<String> = []
    private var pageLength: Int?
    private var pages = 0

    /// Takes the page at `nextOffset`. An id that was there already is left out, and a page with nothing else is the
    /// last, for a service that does not know `offset` gives the same page for ever.
    ///
    /// Throws `GIFFailure.notAList` for anything but objects with ids.
    mutating func add(_ body: [UInt8]) throws(GIFFailure) {
        let page: [Record]
        do {
            page = try Record.list(parsing: body)
        } catch {
            throw .notAList("it is no JSON array of objects")
        }
        let before = exercises.count
        for exercise in page {
            let id: ExerciseID
            do { id = try ExerciseID(of: exercise) } catch { throw .notAList("an object in it has no id") }
            if seen.insert(id.text).inserted { exercises.append(exercise) }
        }
        pages += 1
        let length = pageLength ?? page.count
        pageLength = length
        let isLast = page.count < length || exercises.count == before || pages >= Self.mostPages
        nextOffset = isLast ? nil : nextOffset.map { $0 + page.count }
    }
}
