import Support
import Testing

@testable import Records

@Suite struct RecordWindowTests {
    @Test func recordsAfterASlowRecordAreAllWritten() throws {
        let tool = Marker()
        let opener = try Thread.start {
            tool.gate.wait { $0.started.contains(1) ? () : nil }
            _ = tool.gate.update { $0.opened.insert(1) }
        }
        let input = "{\"hold\":1}" + (0..<1000).map { "{\"quick\":\($0)}" }.joined()
        let (lines, _) = try run(input, tool: tool) { $0.jobs = 2 }
        opener.join()
        #expect(lines == ["{\"hold\":1,\"done\":true}"] + (0..<1000).map { "{\"quick\":\($0),\"done\":true}" })
    }

    /// Runs a slow record followed by copies of `later`, `count` records in total. The slow record ends once `limit`
    /// records have been read. Returns the number of records read at that moment.
    private func readsBehindASlowRecord(
        _ later: Record, count: Int, until limit: Int, byteWindow: Int = 4 * RecordReader.lengthLimit
    ) throws -> Int {
        let tool = Marker()
        let sink = try Sink()
        let reads = Monitor((count: 0, whenOpened: 0))
        var options = RecordRunOptions()
        options.jobs = 2
        let run = RecordRun(
            tool: tool, options: options, output: sink.file, log: .silent, interruption: Interruption(),
            byteWindow: byteWindow)
        let opener = try Thread.start {
            reads.wait { $0.count >= limit ? () : nil }
            reads.update { $0.whenOpened = $0.count }
            _ = tool.gate.update { $0.opened.insert(1) }
        }
        _ = try run.run {
            let number = reads.update { reads -> Int in
                reads.count += 1
                return reads.count
            }
            if number > count { return nil }
            return .job(RecordJob(number == 1 ? try Record(parsing: #"{"hold":1}"#.utf8) : later))
        }
        opener.join()
        #expect(sink.lines().count == count)
        return reads.withLock { $0.whenOpened }
    }

    @Test func windowLimitsRecordsAfterASlowRecord() throws {
        let passing = try Record(parsing: #"{"skip":1}"#.utf8)
        // The window holds 64 records; one more has been read.
        #expect(try readsBehindASlowRecord(passing, count: 20_000, until: 60) <= 65)
    }

    @Test func windowHasRoomAgainOnceAResultIsWritten() throws {
        var buffer = ReorderBuffer(
            output: RecordOutput(file: try Sink().file, layout: .lines, progress: .none), isOrdered: true,
            window: (records: 4, bytes: 100))
        func reserve(_ bytes: Int) -> ReorderBuffer.Slot? { buffer.reserve(bytes) }
        let (first, second) = (try #require(reserve(60)), try #require(reserve(40)))
        #expect(reserve(1) == nil)
        buffer.put(ReorderBuffer.Outcome(), in: second)
        #expect(reserve(41) == nil && reserve(20) != nil && reserve(20) != nil)
        // The window holds four records, and the second waits for the first.
        #expect(reserve(0) == nil)
        buffer.put(ReorderBuffer.Outcome(), in: first)
        #expect(reserve(60) != nil && reserve(1) == nil && reserve(0) != nil)
    }

    /// Sixty-four records of 16 MiB after a slow download would take a gigabyte.
    @Test func windowLimitsBytesAfterASlowRecord() throws {
        let large = try Record(parsing: "{\"skip\":\"\(String(repeating: "x", count: 1000))\"}".utf8)
        // The run has read the slow record, nine large records, and the record that waits for room.
        #expect(try readsBehindASlowRecord(large, count: 1000, until: 11, byteWindow: 10 * large.footprint) <= 11)
    }

    @Test(arguments: [1, 3], [false, true])
    func recordLargerThanTheWindowPassesAlone(jobs: Int, unordered: Bool) throws {
        let sink = try Sink()
        var options = RecordRunOptions()
        options.jobs = jobs
        options.unordered = unordered
        let run = RecordRun(
            tool: Marker(), options: options, output: sink.file, log: .silent, interruption: Interruption(),
            byteWindow: 10)
        let input = (0..<40).map { "{\"\(["n", "quick", "skip", "fail"][$0 % 4])\":\($0)}" } + ["nonsense"]
        let reader = RecordReader(bytes: Array(input.joined(separator: "\n").utf8))
        #expect(try run.run { try reader.next() } == 65)
        #expect(sink.lines().count == 41)
    }
}
