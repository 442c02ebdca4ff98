import HTTP
import Records
import Testing

@testable import GIFs

/// The pages of ExerciseDB's open version.
@Suite struct OpenAnswerTests {
    private static let first = #"[{"exerciseId":"a","gifUrl":"http://cdn/a.gif"},{"exerciseId":"b"}]"#

    private func pages() throws -> ExercisePages {
        try ExercisePages(of: ExerciseService(address: "http://a:3000/api/v1"))
    }

    private func page(_ data: String, next: String?, total: Int? = nil) -> String {
        let next = next.map { "\"\($0)\"" } ?? "null"
        let total = total.map { ",\"totalExercises\":\($0)" } ?? ""
        return #"{"success":true,"metadata":{"totalPages":9,"currentPage":1,"previousPage":null,"nextPage":"#
            + "\(next)\(total)},\"data\":\(data)}"
    }

    private func next(_ offset: Int) -> String { "http://a:3000/api/v1/exercises?offset=\(offset)&limit=10" }

    private func message(_ bodies: [String]) throws -> String? {
        var pages = try pages()
        do {
            for body in bodies { try pages.add(Array(body.utf8)) }
            return nil
        } catch let failure as GIFFailure {
            return failure.message
        }
    }

    @Test func pagesAreFollowedToTheLastPage() throws {
        var pages = try pages()
        #expect(pages.next?.description == "http://a:3000/api/v1/exercises?limit=25&offset=0")
        try pages.add(Array(page(Self.first, next: next(2), total: 3).utf8))
        #expect(pages.next?.description == next(2))
        try pages.add(Array(page(#"[{"exerciseId":"c","x":1.10}]"#, next: nil, total: 3).utf8))
        #expect(pages.next == nil)
        #expect(pages.exercises.map { $0.string("exerciseId") } == ["a", "b", "c"])
        #expect(pages.exercises.last?.line == Array(#"{"exerciseId":"c","x":1.10}"#.utf8))
    }

    /// On older servers, the last page links to an empty page.
    @Test func emptyPageEndsTheList() throws {
        var pages = try pages()
        try pages.add(Array(page(Self.first, next: next(10), total: 2).utf8))
        try pages.add(Array(page("[]", next: next(20), total: 2).utf8))
        #expect(pages.next == nil && pages.exercises.count == 2)
    }

    @Test(arguments: [
        #"{"success":true,"metadata":{},"data":[]}"#,
        #" {"success":true,"metadata":{"nextPage":null,"totalPages":null},"data":[{"id":7},{"id":"07"}]}"#,
        #"{"success":true,"metadata":{"nextPage":"HTTP://A:3000/else?x=1"},"data":[{"exerciseId":"Ab1"}]}"#,
    ])
    func missingOptionalFieldsAreAccepted(_ body: String) throws { #expect(try message([body]) == nil) }

    @Test(arguments: [
        (#"{"success":false,"message":"under repair","data":[]}"#, "reported an error: under repair"),
        (#"{"success":false,"error":"no database"}"#, "reported an error: no database"),
        (#"{"success":false}"#, "reported an error: no reason given"),
        (#"{"metadata":{},"data":[]}"#, "success is neither true nor false"),
        (#"{"success":"true","metadata":{},"data":[]}"#, "success is neither true nor false"),
        (#"{"success":true,"data":[]}"#, "metadata is not an object"),
        (#"{"success":true,"metadata":[],"data":[]}"#, "metadata is not an object"),
        (#"{"success":true,"metadata":{"totalPages":"9"},"data":[]}"#, "metadata.totalPages is not a whole number"),
        (#"{"success":true,"metadata":{"totalExercises":1.5},"data":[]}"#, "metadata.totalExercises is not a whole"),
        (
            #"{"success":true,"metadata":{"totalExercises":99999999999999999999},"data":[]}"#,
            "metadata.totalExercises is not"
        ),
        (#"{"success":true,"metadata":{"currentPage":-1},"data":[]}"#, "metadata.currentPage is not a whole number"),
        (#"{"success":true,"metadata":{"previousPage":0},"data":[]}"#, "metadata.previousPage is not a string"),
        (#"{"success":true,"metadata":{"nextPage":2},"data":[{"id":"a"}]}"#, "metadata.nextPage is not a string"),
        (#"{"success":true,"metadata":{"nextPage":"?offset=10"},"data":[{"id":"a"}]}"#, "metadata.nextPage: "),
        (#"{"success":true,"metadata":{}}"#, "data is not an array of objects"),
        (#"{"success":true,"metadata":{},"data":{"exerciseId":"a"}}"#, "data is not an array of objects"),
        (#"{"success":true,"metadata":{},"data":[1]}"#, "data is not an array of objects"),
        (#"{"success":true,"metadata":{},"data":[{"name":"curl"}]}"#, "has no id"),
        (#"{"success":true,"metadata":{},"data":[{"exerciseId":[]}]}"#, "has no id"),
        (#"{"success":true,"metadata":{},"data":[{"exerciseId":"a","gifUrl":1}]}"#, "gifUrl is not a string"),
        (#"{"success":true,"metadata":{"totalExercises":3},"data":[{"id":"a"}]}"#, "is 3, but the pages contain 1"),
    ])
    func invalidAnswerIsRefusedWithTheNameOfItsField(_ body: String, _ words: String) throws {
        let message = try #require(try message([body]))
        #expect(message.contains(words), "\(message)")
    }

    @Test(arguments: [
        "http://b:3000/x?offset=2", "http://a/x?offset=2", "https://a:3000/x?offset=2", "http://user@b/", "//b/x", "",
    ])
    func linkToAnotherOriginIsRefused(_ next: String) throws {
        let message = try #require(try message([page(Self.first, next: next)]))
        guard let origin = try? WebURL(next).origin else { return #expect(message.contains("metadata.nextPage: ")) }
        #expect(
            message.hasSuffix(
                ": metadata.nextPage is at \(origin), not at http://a:3000; EXERCISEDB_API_URL must have the origin of "
                    + "the service's links"), "\(message)")
    }

    @Test func noPageIsRequestedTwice() throws {
        let own = "http://a:3000/api/v1/exercises?limit=25&offset=0"
        #expect(try message([page(Self.first, next: own)])?.hasSuffix(": metadata.nextPage repeats a page") == true)
        let loop = [page(Self.first, next: next(2)), page(#"[{"exerciseId":"c"}]"#, next: next(2) + "#x")]
        #expect(try message(loop)?.contains("repeats a page") == true)
        // This server ignores `offset`.
        let same = [page(Self.first, next: next(2), total: 9), page(Self.first, next: next(4), total: 9)]
        #expect(try message(same)?.contains("is 9, but the pages contain 4") == true)
    }

    @Test(arguments: [(10_000, false), (10_001, true)])
    func aListHasAtMostTenThousandPages(_ count: Int, isRefused: Bool) throws {
        let bodies = (1...count).map { page("[{\"id\":\($0)}]", next: $0 < count ? next($0) : nil) }
        let refusal = isRefused ? GIFFailure.notAList("the list has more than 10000 pages").message : nil
        #expect(try message(bodies) == refusal)
    }

    @Test func recordOfTheOpenVersionContainsTheAddressOfItsGIF() throws {
        let open = try ExerciseService(address: "http://a/api/v1")
        let other = try ExerciseService(address: "http://a")
        for (text, atOpen, atOther) in [
            (#"{"exerciseId":"x","gifUrl":"u"}"#, "u", "u"), (#"{"id":"1","gifUrl":"u"}"#, "u", nil),
            (#"{"exerciseId":"x","gifUrl":null}"#, nil, nil), (#"{"exerciseId":"x"}"#, nil, nil),
        ] as [(String, String?, String?)] {
            let job = RecordJob(try Record(parsing: text.utf8))
            for (service, expected) in [(open, atOpen), (other, atOther)] {
                #expect(GIFNaming(service: service, resolutions: [.standard]).gifURL(of: job) == expected, "\(text)")
            }
        }
        let argument = RecordJob(try Record(parsing: #"{"exerciseId":"x","gifUrl":"u"}"#.utf8), argument: "x")
        #expect(GIFNaming(service: open, resolutions: [.standard]).gifURL(of: argument) == nil)
    }
}
