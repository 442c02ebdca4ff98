import HTTP
import Records

/// Joins the pages of the service's list.
///
/// Each page of the open version contains the address of the next page (`OpenAnswer`). RapidAPI's pages are arrays
/// without a total or a link, so a page that is shorter than the first page is the last. The requested length is not
/// used for this comparison, because a plan may silently limit the length of all pages.
struct ExercisePages {
    private static let mostPages = 10_000

    private let service: ExerciseService
    private(set) var exercises: [Record] = []
    /// The address of the next page, or nil at the end of the list.
    private(set) var next: WebURL?
    private var seen: Set<String> = []
    /// The addresses of the pages that were added, as bytes.
    private var asked: Set<[UInt8]> = []
    private var pageLength: Int?
    private var received = 0

    init(of service: ExerciseService) throws(WebURLFailure) {
        self.service = service
        next = try service.listURL(offset: 0)
    }

    /// Adds the page at `next`, except for exercises that earlier pages contain. A page without a new id ends the list,
    /// because a service that ignores `offset` always returns the same page.
    ///
    /// Throws `GIFFailure.refused` if the service reports a failure. Throws `GIFFailure.notAList` for a page that is
    /// not a list of objects with ids, for a link to another origin or to an earlier page, for more than 10,000 pages,
    /// and for a list with fewer exercises than the total that the service states.
    mutating func add(_ body: [UInt8]) throws {
        if let next { asked.insert(Array(next.requestText.utf8)) }
        next = nil
        guard let records = try? Record.list(parsing: body) else { throw GIFFailure.notAList("the answer is not JSON") }
        let isObject = body.first { $0 > 0x20 } == UInt8(ascii: "{") && records.count == 1
        let answer = isObject ? try OpenAnswer(records[0]) : nil
        let page = try answer?.exercises() ?? records
        let before = exercises.count
        for exercise in page {
            let id: ExerciseID
            do { id = try ExerciseID(of: exercise) } catch { throw GIFFailure.notAList("an exercise has no id") }
            if seen.insert(id.text).inserted { exercises.append(exercise) }
        }
        received += page.count
        let hasNew = exercises.count > before
        if let metadata = try answer?.metadata() {
            if hasNew { next = try metadata.nextPage.map(link) }
            if next == nil, let total = metadata.total, received < total {
                throw GIFFailure.notAList("metadata.totalExercises is \(total), but the pages contain \(received)")
            }
        } else {
            let length = pageLength ?? page.count
            pageLength = length
            if hasNew, page.count >= length { next = try service.listURL(offset: received) }
        }
        if next != nil, asked.count >= Self.mostPages {
            throw GIFFailure.notAList("the list has more than \(Self.mostPages) pages")
        }
    }

    private func link(_ text: String) throws(GIFFailure) -> WebURL {
        let url: WebURL
        do { url = try WebURL(text) } catch { throw .notAList("metadata.nextPage: \(error.message)") }
        guard url.origin == service.origin else {
            throw .notAList(
                "metadata.nextPage is at \(url.origin), not at \(service.origin); EXERCISEDB_API_URL must have the "
                    + "origin of the service's links")
        }
        guard !asked.contains(Array(url.requestText.utf8)) else { throw .notAList("metadata.nextPage repeats a page") }
        return url
    }
}
