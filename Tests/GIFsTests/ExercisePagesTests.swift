import Records
import Testing

@testable import GIFs

@Suite struct ExercisePagesTests {
    private func page(_ ids: some Sequence<Int>) -> [UInt8] {
        Array("[\(ids.map { "{\"id\":\"\($0)\"}" }.joined(separator: ","))]".utf8)
    }

    private func ids(_ pages: ExercisePages) -> [Int?] { pages.exercises.map { $0.string("id").flatMap { Int($0) } } }

    private func pages() throws -> ExercisePages { try ExercisePages(of: ExerciseService(address: "http://a/db")) }

    @Test func shortPageEndsTheList() throws {
        var pages = try pages()
        #expect(pages.next?.description == "http://a/db/exercises?limit=500&offset=0")
        try pages.add(page(0..<5))
        #expect(pages.next?.query == "limit=500&offset=5")
        try pages.add(page(5..<10))
        #expect(pages.next?.query == "limit=500&offset=10")
        try pages.add(page(10..<12))
        #expect(pages.next == nil && ids(pages) == Array(0..<12))
    }

    @Test func repeatedPageEndsTheList() throws {
        var pages = try pages()
        try pages.add(page(0..<5))
        try pages.add(page(0..<5))
        #expect(pages.next == nil && ids(pages) == Array(0..<5))
    }

    @Test func repeatedIDIsOmitted() throws {
        var pages = try pages()
        try pages.add(page(0..<5))
        try pages.add(page(4..<9))
        #expect(pages.next?.query == "limit=500&offset=10" && ids(pages) == Array(0..<9))
        try pages.add(page([]))
        #expect(pages.next == nil)
    }

    @Test(arguments: [
        ("{\"message\":\"no\"}", "success is neither true nor false"), ("[1]", "the answer is not JSON"),
        ("<html>", "the answer is not JSON"), ("[{\"name\":\"curl\"}]", "an exercise has no id"),
    ])
    func pageThatIsNotAListIsRefused(_ body: String, _ fault: String) throws {
        var pages = try pages()
        #expect(throws: GIFFailure.notAList(fault)) { try pages.add(Array(body.utf8)) }
    }

    @Test func cachedListIsUsedOnlyForItsService() throws {
        let exercises = try Record.list(parsing: Array(#"[{"id":"0001","x":1.10},{"id":"0002"}]"#.utf8))
        let list = CachedExerciseList(exercises)
        let body = list.body(address: "http://a")
        #expect(CachedExerciseList(body: body, address: "http://a") == list)
        #expect(CachedExerciseList(body: body, address: "http://b") == nil)
        #expect(CachedExerciseList(body: Array(body.dropLast(15)), address: "http://a") == nil)
    }

    @Test func allFiltersMustMatch() throws {
        let curl = try Record(
            parsing: Array(#"{"bodyPart":"upper arms","target":"biceps","equipment":"cable","name":"Cable Curl"}"#.utf8)
        )
        #expect(ExerciseFilter().accepts(curl))
        #expect(ExerciseFilter(bodyParts: ["back, Upper Arms"], names: ["curl"]).accepts(curl))
        #expect(!ExerciseFilter(bodyParts: ["back"], names: ["curl"]).accepts(curl))
        #expect(!ExerciseFilter(targets: ["bicep"]).accepts(curl))
        #expect(ExerciseFilter(equipment: ["cable", "band"]).accepts(curl))
    }

    @Test func filtersReadTheArraysOfTheOpenVersion() throws {
        let row = try Record(
            parsing: #"{"bodyParts":["UPPER ARMS","back"],"targetMuscles":["lats"],"equipments":["cable",1]}"#.utf8)
        #expect(ExerciseFilter(bodyParts: ["back"], targets: ["lats"], equipment: ["band,cable"]).accepts(row))
        #expect(ExerciseFilter(bodyParts: ["upper arms"]).accepts(row))
        #expect(!ExerciseFilter(bodyParts: ["arms"]).accepts(row))
        #expect(!ExerciseFilter(targets: ["lats"], equipment: ["1"]).accepts(row))
    }

    @Test func valuesAreDistinctAndSorted() throws {
        let exercises = try Record.list(
            parsing: Array(
                #"[{"bodyPart":"waist"},{"bodyParts":["neck","back"]},{"bodyPart":"back"},{"bodyPart":""},{}]"#.utf8))
        #expect(ExerciseProperty.bodyPart.values(among: exercises) == ["back", "neck", "waist"])
        #expect(ExerciseProperty.target.values(among: exercises) == [])
    }
}
