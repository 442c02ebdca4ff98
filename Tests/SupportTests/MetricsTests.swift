import Libc
import TestSupport
import Testing

@testable import Support

/// Metric events and their file.
struct MetricsTests {
    private let time = Timestamp(milliseconds: 1_700_000_000_007)

    private func text(_ event: MetricEvent, byteLimit: Int = .max) -> String {
        String(decoding: event.line(tool: "tool", pid: 7, time: time, byteLimit: byteLimit), as: UTF8.self)
    }

    @Test func eventIsALineOfJSONWithFieldsInOrder() {
        let event = MetricEvent(
            .download,
            [
                "url": .text("http://x/\"\u{1B}"), "status": nil, "bytes": .integer(5),
                "ms": .time(.microseconds(1_002_003)),
            ])
        #expect(
            text(event)
                == #"{"time":"2023-11-14T22:13:20.007Z","tool":"tool","pid":7,"event":"download","#
                + #""url":"http://x/\"\u001b","bytes":5,"ms":1002.003}"# + "\n")
        #expect(text(MetricEvent(.trim, ["ms": .time(.zero - .seconds(1))])).contains("\"ms\":0.000"))
    }

    @Test func longLineIsTruncatedAndRemainsJSON() {
        for long in [String(repeating: "\u{1}", count: 9000), String(repeating: "星", count: 9000)] {
            let event = MetricEvent(.cache, ["key": .text(long), "url": .text(long), "bytes": .integer(.max)])
            let line = text(event, byteLimit: 4096)
            #expect(line.utf8.count <= 4096 && line.utf8.count > 500 && line.hasSuffix("}\n"))
            #expect(line.contains("…\",\"url\":\""))
        }
    }

    @Test func silentMetricsCreateNoEvents() {
        var made = 0
        func event() -> MetricEvent {
            made += 1
            return MetricEvent(.trim, [:])
        }
        Metrics.silent.add(event())
        Metrics.silent.measure({}) { _, _ in event() }
        #expect(made == 0)
    }

    @Test func failureOfMeasuredWorkIsAlsoReported() throws {
        let codes = Monitor([Fact?]())
        let metrics = Metrics { event in codes.withLock { $0.append(event["code"]) } }
        func measure(_ body: () throws -> Void) throws {
            try metrics.measure(body) { result, _ in MetricEvent(.cache, ["code": MetricEvent.code(of: result)]) }
        }
        try measure {}
        #expect(throws: UsageFailure.self) { try measure { throw UsageFailure("no") } }
        #expect(codes.withLock { $0 } == [nil, .text("usage")])
    }

    @Test func threadsShareAFileWithoutMixingLines() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("metrics.ndjson")
        let threads = try (0..<8).map { number in
            let metrics = try MetricsFile.open(path, tool: "tool\(number)", log: .silent)
            return try Thread.start {
                for count in 0..<200 {
                    let filler = String(repeating: "x", count: (number * 97 + count * 31) % 3000)
                    metrics.add(MetricEvent(.encode, ["n": .integer(count), "filler": .text(filler)]))
                }
            }
        }
        for thread in threads { thread.join() }
        let lines = try String(decoding: folder.read("metrics.ndjson"), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 1600)
        #expect(lines.allSatisfy { $0.hasPrefix("{\"time\":") && ($0.hasSuffix("x\"}") || $0.hasSuffix(":\"\"}")) })
        for number in 0..<8 { #expect(lines.count { $0.contains("\"tool\":\"tool\(number)\"") } == 200) }
    }

    @Test func metricsFileThatCannotBeOpenedCausesExitStatus73() throws {
        let folder = try TemporaryFolder()
        let failure = #expect(throws: SystemFailure.self) {
            _ = try MetricsFile.open(folder.path("missing/metrics"), tool: "tool", log: .silent)
        }
        #expect(failure?.exitCode == .cannotCreate)
    }

    @Test(.enabled(if: TestFile.exists("/dev/full")))
    func fullDiskCausesOneWarningAndNoFailure() throws {
        let warnings = Monitor([String]())
        let log = Log(tool: "tool") { line in warnings.withLock { $0.append(line) } }
        let metrics = try MetricsFile.open("/dev/full", tool: "tool", log: log)
        for _ in 0..<3 { metrics.add(MetricEvent(.trim, [:])) }
        let words = "cannot write /dev/full: \(systemMessage(ENOSPC))\(SystemFailure.advice(for: ENOSPC))"
        #expect(warnings.withLock { $0 } == ["tool: warning: \(words); no more metrics are written\n"])
    }
}
