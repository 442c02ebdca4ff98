import Support
import Testing

@testable import Records

@Suite struct FailureLinesTests {
    private func lines(_ messages: [String]) -> [String] {
        let written = Monitor<[String]>([])
        let failures = FailureLines(log: Log(tool: "t", threshold: .error) { line in written.update { $0.append(line) } })
        for message in messages { failures.say(message) }
        failures.end()
        failures.end()
        return written.withLock { $0 }
    }

    @Test func differentOnesAreSaidEach() {
        #expect(lines([]) == [])
        #expect(lines(["a", "b", "a"]) == ["t: a\n", "t: b\n", "t: a\n"])
    }

    @Test func theSameOneAfterTheOtherAreCounted() {
        #expect(lines(["a", "a"]) == ["t: a\n", "t: (1 more like this)\n"])
        #expect(lines(["a", "a", "a", "b", "b"]) == [
            "t: a\n", "t: (2 more like this)\n", "t: b\n", "t: (1 more like this)\n",
        ])
    }
}
