import GIFs
import Records
import Testing

@Suite struct ExerciseIDTests {
    private func record(_ text: String) throws -> Record { try Record(parsing: text.utf8) }

    @Test func leadingZerosAreKept() throws {
        #expect(try ExerciseID("0001").text == "0001")
        #expect(try ExerciseGIF(id: ExerciseID("0001")).cacheKey == "exercisedb:0001@180")
        #expect(try ExerciseGIF(id: ExerciseID("1"), resolution: .pixels1080).cacheKey == "exercisedb:1@1080")
    }

    @Test(arguments: ["", " 1", "a/b", "1&resolution=1080", "é", "a\n", String(repeating: "a", count: 65)])
    func invalidIDIsRefused(_ text: String) {
        #expect(throws: GIFFailure.badID(text)) { try ExerciseID(text) }
    }

    @Test func exerciseIDIsReadFromTheFieldIDOrExerciseID() throws {
        #expect(try ExerciseID(of: record(#"{"name":"x","id":"0007"}"#)).text == "0007")
        #expect(try ExerciseID(of: record(#"{"exerciseId":"trmte8s"}"#)).text == "trmte8s")
        #expect(try ExerciseID(of: record(#"{"exerciseId":"b","id":"a"}"#)).text == "a")
        #expect(try ExerciseID(of: record(#"{"id":"a","x":{"y":"b"}}"#), field: "x.y").text == "b")
    }

    @Test func numericIDIsNotPadded() throws {
        #expect(try ExerciseID(of: record(#"{"id":1}"#)).text == "1")
    }

    @Test func recordWithoutAnIDIsAFailure() throws {
        let record = try record(#"{"name":"x","id":null}"#)
        #expect(throws: GIFFailure.noID(fields: ["id", "exerciseId"])) { try ExerciseID(of: record) }
        #expect(throws: GIFFailure.noID(fields: ["x.y"])) { try ExerciseID(of: record, field: "x.y") }
        #expect(throws: GIFFailure.self) { try ExerciseID(of: Record(parsing: #"{"id":{}}"#.utf8)) }
    }

    @Test func resolutionsMatchTheServicesPlans() {
        #expect(Resolution("360") == .pixels360)
        #expect(Resolution("0360") == nil && Resolution("200") == nil)
        #expect(Resolution.standard.rawValue == 180)
    }
}
