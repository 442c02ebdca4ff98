import Support
import Testing

import func TestSupport.makePipe

@testable import Records

/// Sets `batch` to the batch size. A record with `bad` fails; a record with `slow` needs work after its preparation.
private struct Counter: RecordTool {
    let name = "counter"

    func prepare(_ job: RecordJob) -> Prepared { prepare([job])[0] }

    func prepare(_ jobs: [RecordJob]) -> [Prepared] {
        jobs.map { job in
            Prepared {
                if job.record.has("bad") { throw UsageFailure("it is bad") }
                var done = job.record
                done.set("batch", .integer(jobs.count))
                let finished = done
                return job.record.has("slow") ? .work { record, _ in record = finished } : .done(finished)
            }
        }
    }

    func retract(_ record: inout Record, argument: String?) { record.remove("bad") }
}

@Suite struct RecordBatchTests {
    private func run(
        _ records: [String], options configure: (inout RecordRunOptions) -> Void = { _ in }
    ) throws -> (records: [Record], status: Int32) {
        var options = RecordRunOptions()
        configure(&options)
        let sink = try Sink()
        let run = RecordRun(
            tool: Counter(), options: options, output: sink.file, log: .silent, interruption: Interruption())
        let reader = RecordReader(bytes: Array(records.joined(separator: "\n").utf8))
        let status = try run.run { try reader.next() }
        return (try sink.lines().map { try Record(parsing: $0.utf8) }, status)
    }

    @Test(arguments: [1, 3]) func recordsArePreparedInBatchesOfLimitedSize(jobs: Int) throws {
        let (records, status) = try run((0..<150).map { "{\"n\":\($0),\"\($0 % 7 == 0 ? "slow" : "quick")\":1}" }) {
            $0.jobs = jobs
        }
        #expect(status == 0)
        #expect(records.map { $0.integer("n") } == Array(0..<150))
        let batches = records.compactMap { $0.integer("batch") }
        #expect(batches.count == 150)
        #expect(batches.first == 1)
        let largest = try #require(batches.max())
        // With several jobs, unfinished records may fill the window before a batch is full.
        #expect(jobs == 1 ? largest == 64 : (2...64).contains(largest))
    }

    @Test func failedPreparationAffectsOneRecord() throws {
        let (records, status) = try run([#"{"n":1}"#, #"{"n":2,"bad":1}"#, #"{"n":3}"#])
        #expect(status == 64)
        #expect(records.map { $0.string("error.code") } == [nil, "usage", nil])
        #expect(records.map { $0.integer("batch") } == [1, nil, 2])
        #expect(!records[1].has("bad"))
    }

    @Test func failFastStopsAtAFailedPreparation() throws {
        let (records, status) = try run([#"{"n":1}"#, #"{"n":2,"bad":1}"#, #"{"n":3}"#]) { $0.failFast = true }
        #expect(status == 64)
        #expect(records.map { $0.integer("n") } == [1, 2])
        #expect(records[0].integer("batch") == 1)
    }

    @Test func recordsDoNotWaitForABatchToFill() throws {
        let pipe = try makePipe()
        let writer = try File(descriptor: pipe.writing, path: "in")
        let input = try File(descriptor: pipe.reading, path: "in")
        let sink = try Sink()
        let thread = try Thread.start {
            let run = RecordRun(
                tool: Counter(), options: RecordRunOptions(), output: sink.file, log: .silent,
                interruption: Interruption())
            let reader = RecordReader(continuing: LineReader(file: input) { run.flush() })
            _ = try? run.run { try reader.next() }
        }
        try writer.write(Array("{\"n\":1}{\"n\":2}\n{\"n\":".utf8))
        #expect(sink.waitForLines(2) == [#"{"n":1,"batch":1}"#, #"{"n":2,"batch":1}"#])
        try writer.write(Array("3}".utf8))
        #expect(sink.waitForLines(3).last == #"{"n":3,"batch":1}"#)
        closeWriter(writer)
        thread.join()
    }
}
