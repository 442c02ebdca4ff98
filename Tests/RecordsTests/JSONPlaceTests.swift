import Testing

@testable import Records

@Suite struct JSONPlaceTests {
    @Test(
        arguments: [
            ("{}", nil), (" \n{\"a\": [1]}\n ", nil),
            ("", "line 1, column 1: the JSON object is incomplete"),
            ("{\"jobs\":\n", "line 2, column 1: the JSON object is incomplete"),
            ("{\n  \"a\": 1,\n}", "line 3, column 1: invalid JSON"),
            ("{\"a\": 1\n \"b\": 2}", "line 2, column 2: invalid JSON"),
            ("\n [1]", "line 2, column 2: expected a JSON object, which begins with {"),
            ("jobs = 2", "line 1, column 1: expected a JSON object, which begins with {"),
            ("{}\n\n {}", "line 3, column 2: unexpected text after the JSON object"),
            (
                "{\"a\": \"b\nc\"}",
                "line 1, column 9: a JSON string contains a control character or line break; write it as \\n or \\u00XX"
            ),
        ] as [(String, String?)])
    func errorIsReportedWithLineAndColumn(text: String, message: String?) {
        #expect(JSONPlace.fault(in: Array(text.utf8))?.message == message)
    }
}
