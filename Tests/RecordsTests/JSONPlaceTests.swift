import Testing

@testable import Records

@Suite struct JSONPlaceTests {
    @Test(
        arguments: [
            ("{}", nil), (" \n{\"a\": [1]}\n ", nil),
            ("", "line 1, column 1: the text ends before the JSON object does"),
            ("{\"jobs\":\n", "line 2, column 1: the text ends before the JSON object does"),
            ("{\n  \"a\": 1,\n}", "line 3, column 1: this is not JSON"),
            ("{\"a\": 1\n \"b\": 2}", "line 2, column 2: this is not JSON"),
            ("\n [1]", "line 2, column 2: a JSON object is expected, which begins with {"),
            ("jobs = 2", "line 1, column 1: a JSON object is expected, which begins with {"),
            ("{}\n\n {}", "line 3, column 2: nothing may follow the JSON object"),
            (
                "{\"a\": \"b\nc\"}",
                "line 1, column 9: a JSON string holds a raw control character or line break; write it as \\n or \\u00XX"
            ),
        ] as [(String, String?)])
    func errorIsReportedWithLineAndColumn(text: String, message: String?) {
        #expect(JSONPlace.fault(in: Array(text.utf8))?.message == message)
    }
}
