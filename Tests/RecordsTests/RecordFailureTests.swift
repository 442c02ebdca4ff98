import Libc
import Support
import Testing

import func TestSupport.makePipe

@testable import Records

@Suite struct RecordFailureTests {
    @Test func failedRecordDoesNotStopTheOthers() throws {
        let (lines, status) = try run("{\"n\":1,\"fail\":\"definite\"}\n{\"n\":2}")
        #expect(status == 69)
        #expect(lines[1] == "{\"n\":2,\"done\":true}")
        let failed = try Record(parsing: Array(lines[0].utf8))
        #expect(failed.string("error.tool") == "marker")
        #expect(failed.string("error.code") == "broken")
        #expect(failed.string("error.message") == "it is broken")
        #expect(failed.bool("error.transient") == false)
        #expect(failed.integer("error.exit") == 69)
        #expect(failed.bool("done") == true)
    }

    @Test func failedRecordLosesRetractedFields() throws {
        let input = #"{"place":1,"n":1,"place":2,"fail":"definite"}{"place":3}{"place":4,"error":{}}"#
        let records = try run(input).lines.map { try Record(parsing: $0.utf8) }
        #expect(records.map(\.names) == [["n", "fail", "done", "error"], ["place", "done"], ["place", "error"]])
    }

    @Test(
        arguments: [
            (["transient"], 75), (["transient", "limit", "definite"], 77), (["definite", "limit"], 69), ([], 0),
        ] as [([String], Int32)]) func exitStatusComesFromTheFirstPermanentFailure(failures: [String], expected: Int32)
        throws
    {
        let input = failures.map { "{\"fail\":\"\($0)\"}" }.joined(separator: "\n")
        #expect(try run(input).status == expected)
    }

    @Test func exitStatusComesFromTheFirstFailureInInputOrder() throws {
        let tool = Marker()
        let sink = try Sink()
        var options = RecordRunOptions()
        options.jobs = 2
        options.strict = true
        let run = RecordRun(tool: tool, options: options, output: sink.file, log: .silent, interruption: Interruption())
        let input = #"{"hold":1,"fail":"definite"}{"fail":"limit"}{"error":{"exit":66}}nonsense"#
        let reader = RecordReader(bytes: Array(input.utf8))
        let status = try run.run {
            guard let next = try reader.next() else {
                _ = tool.gate.update { $0.opened.insert(1) }
                return nil
            }
            return next
        }
        #expect(status == 69)
        #expect(sink.lines().count == 4)
    }

    @Test func recordsWithAnErrorPassUnchanged() throws {
        let line = #"{"n":1,"error":{"tool":"other","code":"x","exit":69,"transient":false}}"#
        let (lines, status) = try run(line)
        #expect(lines == [line])
        #expect(status == 0)
        #expect(try run(line) { $0.strict = true }.status == 69)
    }

    @Test func onlyTheToolsOwnTransientErrorsAreRetried() throws {
        let own = #"{"n":1,"error":{"tool":"marker","code":"x","exit":75,"transient":true}}"#
        let lasting = #"{"n":2,"error":{"tool":"marker","code":"x","exit":69,"transient":false}}"#
        let other = #"{"n":3,"error":{"tool":"other","code":"x","exit":75,"transient":true}}"#
        let (lines, status) = try run([own, lasting, other].joined(separator: "\n")) { $0.retryErrors = true }
        #expect(lines == [#"{"n":1,"done":true}"#, lasting, other])
        #expect(status == 0)
    }

    @Test func failFastStopsAtTheFirstFailure() throws {
        let (lines, status) = try run("{\"n\":1}\n{\"fail\":\"limit\"}\n{\"n\":3}") { $0.failFast = true }
        #expect(lines.count == 2)
        #expect(status == 77)
    }

    @Test func failFastWritesEarlierRecords() throws {
        let input = (1...40).map { "{\"n\":\($0)}\n" }.joined() + "nonsense\n{\"n\":42}"
        let (lines, status) = try run(input) {
            $0.failFast = true
            $0.jobs = 4
        }
        #expect(lines.count == 41)
        #expect(status == 65)
    }

    /// The bad line fails before the held record, although the held record comes first in the input. No record is
    /// started after the held record has failed.
    @Test func failFastStopsAtTheFirstFailureInInputOrder() throws {
        let tool = Marker()
        let sink = try Sink()
        var options = RecordRunOptions()
        options.jobs = 2
        options.failFast = true
        let run = RecordRun(tool: tool, options: options, output: sink.file, log: .silent, interruption: Interruption())
        let input = #"{"skip":1}{"hold":1,"fail":"limit"}{"hold":2}{"hold":3}"# + "\nnonsense"
        let reader = RecordReader(bytes: Array(input.utf8))
        let opener = try Thread.start {
            // The first line is written once the run has rejected the bad line and stopped reading.
            _ = sink.waitForLines(1)
            _ = tool.gate.update { $0.opened.insert(1) }
            _ = sink.waitForLines(2)
            tool.gate.update { $0.opened.formUnion([2, 3]) }
        }
        let status = try run.run {
            let next = try reader.next()
            if case .bad? = next { tool.gate.wait { $0.started == [1, 2] ? () : nil } }
            return next
        }
        opener.join()
        #expect(status == 77)
        #expect(tool.gate.withLock { $0.started } == [1, 2])
    }

    @Test func endOfRunIsThrownAfterItsRecordIsWritten() throws {
        let sink = try Sink()
        let run = RecordRun(
            tool: Marker(), options: RecordRunOptions(), output: sink.file, log: .silent, interruption: Interruption())
        let reader = RecordReader(bytes: Array("{\"fail\":\"limit\"}\n{\"fail\":\"end\"}\n{\"n\":3}".utf8))
        let failure = #expect(throws: EndOfRun.self) { try run.run { try reader.next() } }
        #expect(failure?.exitCode == .usage)
        let lines = sink.lines()
        #expect(lines.count == 2)
        #expect(lines.last?.contains("\"exit\":64") == true)
    }

    @Test func badLineBecomesARecordWithItsLineNumber() throws {
        let (lines, status) = try run("{\"n\":1}\nnonsense\n{\"n\":3}")
        #expect(status == 65)
        #expect(lines.count == 3)
        let bad = try Record(parsing: Array(lines[1].utf8))
        #expect(bad.integer("input_line") == 2)
        #expect(bad.string("error.code") == "not-json")
        #expect(bad.integer("error.exit") == 65)
    }

    @Test func closedPipeEndsTheRunQuietly() throws {
        let pipe = try makePipe()
        signal(SIGPIPE, SIG_IGN)
        close(pipe.reading)
        let output = try File(descriptor: pipe.writing, path: "out")
        let interruption = Interruption()
        let run = RecordRun(
            tool: Marker(), options: RecordRunOptions(), output: output, log: .silent, interruption: interruption)
        var given = 0
        let status = try run.run {
            given += 1
            return given > 1000 ? nil : .job(RecordJob(Record()))
        }
        #expect(status == 0)
        #expect(given < 10)
        #expect(interruption.cause == .outputClosed)
    }

    @Test func fullDiskIsReported() throws {
        guard let full = try? File.open("/dev/full", O_WRONLY) else { return }
        let run = RecordRun(
            tool: Marker(), options: RecordRunOptions(), output: full, log: .silent, interruption: Interruption())
        var given = 0
        #expect(throws: SystemFailure(errno: ENOSPC, "write /dev/full")) {
            try run.run {
                given += 1
                return given > 100 ? nil : .job(RecordJob(Record()))
            }
        }
    }

    @Test func sourceFailureIsThrownAfterEarlierRecordsAreWritten() throws {
        let sink = try Sink()
        var options = RecordRunOptions()
        options.jobs = 4
        let run = RecordRun(
            tool: Marker(), options: options, output: sink.file, log: .silent, interruption: Interruption())
        var given = 0
        #expect(throws: UsageFailure.self) {
            try run.run {
                given += 1
                if given > 5 { throw UsageFailure("no more") }
                return .job(RecordJob(Record()))
            }
        }
        #expect(sink.lines().count == 5)
    }
}
