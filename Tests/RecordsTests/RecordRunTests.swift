import Libc
import Support
import Testing

import func TestSupport.makePipe

@testable import Records

@Suite struct RecordRunTests {
    @Test(arguments: [1, 2, 5, 40]) func outputKeepsInputOrderForAnyNumberOfJobs(jobs: Int) throws {
        let input = (0..<500).map { $0 % 7 == 0 ? "{\"n\":\($0),\"skip\":1}" : "{\"n\":\($0)}" }.joined(separator: "\n")
        let (lines, status) = try run(input) { $0.jobs = jobs }
        #expect(status == 0)
        #expect(lines == (0..<500).map { $0 % 7 == 0 ? "{\"n\":\($0),\"skip\":1}" : "{\"n\":\($0),\"done\":true}" })
    }

    @Test(arguments: [1, 2, 5, 40]) func recordsFinishedInPreparationKeepTheirOrder(jobs: Int) throws {
        let input = (0..<500).map { $0 % 3 == 0 ? "{\"n\":\($0)}" : "{\"n\":\($0),\"quick\":1}" }
        let (lines, status) = try run(input.joined(separator: "\n")) { $0.jobs = jobs }
        #expect(status == 0)
        #expect(lines == input.map { $0.dropLast() + ",\"done\":true}" })
    }

    @Test(arguments: [1, 3]) func finishedRecordDoesNotWaitForALaterSlowRecord(jobs: Int) throws {
        let tool = Marker()
        let sink = try Sink()
        var options = RecordRunOptions()
        options.jobs = jobs
        let runner = RecordRun(
            tool: tool, options: options, output: sink.file, log: .silent, interruption: Interruption())
        let thread = try Thread.start {
            // A source that never blocks, such as command-line arguments.
            var rest = ["{\"quick\":1}", "{\"hold\":1}"][...]
            _ = try? runner.run { try rest.popFirst().map { .job(RecordJob(try Record(parsing: $0.utf8))) } }
        }
        #expect(sink.waitForLines(1) == ["{\"quick\":1,\"done\":true}"])
        _ = tool.gate.update { $0.opened.insert(1) }
        thread.join()
        #expect(sink.lines().last == "{\"hold\":1,\"done\":true}")
    }

    @Test func numberOfConcurrentRecordsEqualsJobs() throws {
        let tool = Marker()
        let input = (0..<30).map { "{\"hold\":\($0)}" }.joined(separator: "\n")
        let opener = try Thread.start {
            tool.gate.wait { $0.started.count == 3 ? () : nil }
            tool.gate.update { $0.opened = Set(0..<30) }
        }
        _ = try run(input, tool: tool) { $0.jobs = 3 }
        opener.join()
        #expect(tool.gate.withLock { $0.most } == 3)
    }

    @Test func workThatWaitsForAnEarlierRecordLetsLaterRecordsStart() throws {
        let tool = Marker()
        let input = (1...20).map { "{\"follow\":0,\"n\":\($0)}" }
        let haveStarted = Monitor(false)
        let opener = try Thread.start {
            let all: Void? = tool.gate.wait(atMost: .seconds(60)) { $0.started.count == 21 ? () : nil }
            haveStarted.withLock { $0 = all != nil }
            _ = tool.gate.update { $0.opened.insert(0) }
        }
        let (lines, _) = try run("{\"hold\":0}" + input.joined(), tool: tool) { $0.jobs = 2 }
        opener.join()
        #expect(haveStarted.withLock { $0 })
        #expect(lines.count == 21 && lines.last == "{\"follow\":0,\"n\":20,\"done\":true}")
    }

    @Test func unorderedRecordsAreWrittenWhenFinished() throws {
        let tool = Marker()
        let sink = try Sink()
        var options = RecordRunOptions()
        options.jobs = 2
        options.unordered = true
        let runner = RecordRun(
            tool: tool, options: options, output: sink.file, log: .silent, interruption: Interruption())
        let thread = try Thread.start {
            let reader = RecordReader(bytes: Array("{\"hold\":1}{\"n\":2}{\"n\":3}".utf8))
            _ = try? runner.run { try reader.next() }
        }
        #expect(sink.waitForLines(2) == ["{\"n\":2,\"done\":true}", "{\"n\":3,\"done\":true}"])
        _ = tool.gate.update { $0.opened.insert(1) }
        thread.join()
        #expect(sink.lines().last == "{\"hold\":1,\"done\":true}")
    }

    @Test func recordIsWrittenBeforeTheNextArrives() throws {
        let pipe = try makePipe()
        let writer = try File(descriptor: pipe.writing, path: "in")
        let input = try File(descriptor: pipe.reading, path: "in")
        let sink = try Sink()
        let tool = Marker()
        let thread = try Thread.start {
            let run = RecordRun(
                tool: tool, options: RecordRunOptions(), output: sink.file, log: .silent, interruption: Interruption())
            let reader = RecordReader(continuing: LineReader(file: input) { run.flush() })
            _ = try? run.run { try reader.next() }
        }
        try writer.write(Array("{\"n\":1}{\"skip\":2}".utf8))
        #expect(sink.waitForLines(2) == ["{\"n\":1,\"done\":true}", "{\"skip\":2}"])
        try writer.write(Array("{\"n\":3}".utf8))
        #expect(sink.waitForLines(3).last == "{\"n\":3,\"done\":true}")
        closeWriter(writer)
        thread.join()
    }

    @Test func skippedRecordDoesNotWaitForALaterSlowRecord() throws {
        let tool = Marker()
        let sink = try Sink()
        let runner = RecordRun(
            tool: tool, options: RecordRunOptions(), output: sink.file, log: .silent, interruption: Interruption())
        let thread = try Thread.start {
            let reader = RecordReader(bytes: Array("{\"skip\":1}{\"hold\":2}".utf8))
            _ = try? runner.run { try reader.next() }
        }
        #expect(sink.waitForLines(1) == ["{\"skip\":1}"])
        _ = tool.gate.update { $0.opened.insert(2) }
        thread.join()
        #expect(sink.lines().last == "{\"hold\":2,\"done\":true}")
    }
}
