import Libc
import Support
import Testing

import func TestSupport.makePipe

@testable import Records

private struct Broken: Failure {
    var isTransient: Bool
    var exitCode: ExitCode
    var code: String { "broken" }
    var message: String { "it is broken" }
}

/// Adds `"done":true`, and takes `place` from what it fails; at once where the record says `quick`; fails where the record says `fail`; waits at a gate where the record says `hold`.
private struct Marker: RecordTool {
    let name = "marker"
    let gate = Monitor((opened: Set<Int>(), started: Set<Int>(), most: 0, now: 0))

    func accepts(_ job: RecordJob) -> Bool { !job.record.has("skip") }

    func retract(_ record: inout Record, argument: String?) { record.remove("place") }

    func processAtOnce(_ record: inout Record, argument: String?) -> Bool {
        guard record.has("quick") else { return false }
        record.set("done", .bool(true))
        return true
    }

    func process(_ record: inout Record, argument: String?, emit: (Record) -> Void) throws {
        gate.update {
            $0.now += 1
            $0.most = max($0.most, $0.now)
        }
        defer { gate.update { $0.now -= 1 } }
        if let id = record.integer("hold") {
            _ = gate.update { $0.started.insert(id) }
            gate.wait { $0.opened.contains(id) ? () : nil }
        }
        record.set("done", .bool(true))
        switch record.string("fail") {
        case "end": throw EndOfRun(Broken(isTransient: false, exitCode: .usage))
        case "transient": throw Broken(isTransient: true, exitCode: .temporary)
        case "definite": throw Broken(isTransient: false, exitCode: .unavailable)
        case "limit": throw Broken(isTransient: false, exitCode: .notAllowed)
        default: break
        }
    }
}

/// A pipe whose reading end collects everything on a thread of its own.
private final class Sink: Sendable {
    let file: File
    private let collected = Monitor((bytes: [UInt8](), isDone: false))

    init() throws {
        let pipe = try makePipe()
        file = try File(descriptor: pipe.writing, path: "sink")
        let reader = try File(descriptor: pipe.reading, path: "sink")
        try Thread.start { [collected] in
            var piece = [UInt8](repeating: 0, count: 4096)
            while let count = piece.withUnsafeMutableBytes({ try? reader.read(into: $0) }), count > 0 {
                collected.update { $0.bytes += piece[..<count] }
            }
            collected.update { $0.isDone = true }
        }.detach()
    }

    func lines() -> [String] {
        let null = open("/dev/null", O_WRONLY)
        dup2(null, file.descriptor)
        close(null)
        return collected.wait { $0.isDone ? $0.bytes : nil }.split(separator: 10).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    func waitForLines(_ count: Int) -> [String] {
        collected.wait { $0.bytes.count(where: { $0 == 10 }) >= count ? $0.bytes : nil }
            .split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
    }
}

private func run(
    _ input: String, tool: Marker = Marker(), options configure: (inout RecordRunOptions) -> Void = { _ in }
) throws -> (lines: [String], status: Int32) {
    var options = RecordRunOptions()
    configure(&options)
    let sink = try Sink()
    let run = RecordRun(
        tool: tool, options: options, output: sink.file, log: .silent, interruption: Interruption())
    let reader = RecordReader(bytes: Array(input.utf8))
    let status = try run.run { try reader.nextInput() }
    return (sink.lines(), status)
}

@Suite struct RecordRunTests {
    @Test(arguments: [1, 2, 5, 40]) func orderIsKeptForAnyNumberOfJobs(jobs: Int) throws {
        let input = (0..<500).map { $0 % 7 == 0 ? "{\"n\":\($0),\"skip\":1}" : "{\"n\":\($0)}" }.joined(separator: "\n")
        let (lines, status) = try run(input) { $0.jobs = jobs }
        #expect(status == 0)
        #expect(lines == (0..<500).map { $0 % 7 == 0 ? "{\"n\":\($0),\"skip\":1}" : "{\"n\":\($0),\"done\":true}" })
    }

    @Test(arguments: [1, 2, 5, 40]) func whatIsDoneAtOnceKeepsItsPlaceAmongTheOthers(jobs: Int) throws {
        let input = (0..<500).map { $0 % 3 == 0 ? "{\"n\":\($0)}" : "{\"n\":\($0),\"quick\":1}" }
        let (lines, status) = try run(input.joined(separator: "\n")) { $0.jobs = jobs }
        #expect(status == 0)
        #expect(lines == input.map { $0.dropLast() + ",\"done\":true}" })
    }

    @Test(arguments: [1, 3]) func whatIsDoneAtOnceDoesNotWaitForTheSlowOneBehindIt(jobs: Int) throws {
        let tool = Marker()
        let sink = try Sink()
        var options = RecordRunOptions()
        options.jobs = jobs
        let runner = RecordRun(
            tool: tool, options: options, output: sink.file, log: .silent, interruption: Interruption())
        let thread = try Thread.start {
            // As of arguments: a source that never has to wait.
            var rest = ["{\"quick\":1}", "{\"hold\":1}"][...]
            _ = try? runner.run { try rest.popFirst().map { .job(RecordJob(try Record(parsing: $0.utf8))) } }
        }
        #expect(sink.waitForLines(1) == ["{\"quick\":1,\"done\":true}"])
        _ = tool.gate.update { $0.opened.insert(1) }
        thread.join()
        #expect(sink.lines().last == "{\"hold\":1,\"done\":true}")
    }

    @Test func manyDoneAtOnceBehindASlowOneAreBoundedAndLoseNothing() throws {
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

    @Test func atMostJobsRecordsAreWorkedOnAtOnceAndAsManyIfThereAre() throws {
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

    @Test func unorderedRecordsLeaveAsSoonAsTheyAreDone() throws {
        let tool = Marker()
        let sink = try Sink()
        var options = RecordRunOptions()
        options.jobs = 2
        options.unordered = true
        let runner = RecordRun(
            tool: tool, options: options, output: sink.file, log: .silent, interruption: Interruption())
        let thread = try Thread.start {
            let reader = RecordReader(bytes: Array("{\"hold\":1}{\"n\":2}{\"n\":3}".utf8))
            _ = try? runner.run { try reader.nextInput() }
        }
        #expect(sink.waitForLines(2) == ["{\"n\":2,\"done\":true}", "{\"n\":3,\"done\":true}"])
        _ = tool.gate.update { $0.opened.insert(1) }
        thread.join()
        #expect(sink.lines().last == "{\"hold\":1,\"done\":true}")
    }

    @Test func aRecordLeavesBeforeTheNextOneArrives() throws {
        let pipe = try makePipe()
        let writer = try File(descriptor: pipe.writing, path: "in")
        let input = try File(descriptor: pipe.reading, path: "in")
        let sink = try Sink()
        let tool = Marker()
        let thread = try Thread.start {
            let run = RecordRun(
                tool: tool, options: RecordRunOptions(), output: sink.file, log: .silent, interruption: Interruption())
            let reader = RecordReader(file: input) { run.flush() }
            _ = try? run.run { try reader.nextInput() }
        }
        try writer.write(Array("{\"n\":1}{\"skip\":2}".utf8))
        #expect(sink.waitForLines(2) == ["{\"n\":1,\"done\":true}", "{\"skip\":2}"])
        try writer.write(Array("{\"n\":3}".utf8))
        #expect(sink.waitForLines(3).last == "{\"n\":3,\"done\":true}")
        let null = open("/dev/null", O_WRONLY)
        dup2(null, writer.descriptor)
        close(null)
        thread.join()
    }

    @Test func whatHasPassedDoesNotWaitForSlowWork() throws {
        let tool = Marker()
        let sink = try Sink()
        let runner = RecordRun(
            tool: tool, options: RecordRunOptions(), output: sink.file, log: .silent, interruption: Interruption())
        let thread = try Thread.start {
            let reader = RecordReader(bytes: Array("{\"skip\":1}{\"hold\":2}".utf8))
            _ = try? runner.run { try reader.nextInput() }
        }
        #expect(sink.waitForLines(1) == ["{\"skip\":1}"])
        _ = tool.gate.update { $0.opened.insert(2) }
        thread.join()
        #expect(sink.lines().last == "{\"hold\":2,\"done\":true}")
    }

    @Test func recordsThatPassDoNotPileUpBehindASlowOne() throws {
        let tool = Marker()
        let sink = try Sink()
        let reads = Monitor((count: 0, whenOpened: 0))
        var options = RecordRunOptions()
        options.jobs = 2
        let run = RecordRun(tool: tool, options: options, output: sink.file, log: .silent, interruption: Interruption())
        let opener = try Thread.start {
            reads.wait { $0.count >= 60 ? () : nil }
            reads.update { $0.whenOpened = $0.count }
            _ = tool.gate.update { $0.opened.insert(1) }
        }
        _ = try run.run {
            let count = reads.update { reads -> Int in
                reads.count += 1
                return reads.count
            }
            if count > 20_000 { return nil }
            return .job(RecordJob(try Record(parsing: (count == 1 ? #"{"hold":1}"# : #"{"skip":1}"#).utf8)))
        }
        opener.join()
        // The window is 64 records wide; one more is at hand.
        #expect(reads.withLock { $0.whenOpened } <= 65)
        #expect(sink.lines().count == 20_000)
    }

    /// Sixty-four records of 16 MiB behind one slow download would be a gigabyte.
    @Test func recordsBehindASlowOneAreBoundedInBytesToo() throws {
        let tool = Marker()
        let sink = try Sink()
        let reads = Monitor((count: 0, whenOpened: 0))
        var options = RecordRunOptions()
        options.jobs = 2
        let large = try Record(parsing: "{\"skip\":\"\(String(repeating: "x", count: 1000))\"}".utf8)
        let run = RecordRun(
            tool: tool, options: options, output: sink.file, log: .silent, interruption: Interruption(),
            byteWindow: 10 * large.footprint)
        let opener = try Thread.start {
            reads.wait { $0.count >= 11 ? () : nil }
            reads.update { $0.whenOpened = $0.count }
            _ = tool.gate.update { $0.opened.insert(1) }
        }
        _ = try run.run {
            let count = reads.update { reads -> Int in
                reads.count += 1
                return reads.count
            }
            if count > 1000 { return nil }
            return .job(RecordJob(count == 1 ? try Record(parsing: #"{"hold":1}"#.utf8) : large))
        }
        opener.join()
        // The slow one, nine large ones, and the one at hand that waits for room.
        #expect(reads.withLock { $0.whenOpened } <= 11)
        #expect(sink.lines().count == 1000)
    }

    @Test(arguments: [1, 3], [false, true])
    func recordsLargerThanTheWindowGoThroughItOneByOne(jobs: Int, unordered: Bool) throws {
        let sink = try Sink()
        var options = RecordRunOptions()
        options.jobs = jobs
        options.unordered = unordered
        let run = RecordRun(
            tool: Marker(), options: options, output: sink.file, log: .silent, interruption: Interruption(),
            byteWindow: 10)
        let input = (0..<40).map { "{\"\(["n", "quick", "skip", "fail"][$0 % 4])\":\($0)}" } + ["nonsense"]
        let reader = RecordReader(bytes: Array(input.joined(separator: "\n").utf8))
        #expect(try run.run { try reader.nextInput() } == 65)
        #expect(sink.lines().count == 41)
    }

    @Test func failureTravelsAsDataAndTheOthersGoOn() throws {
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

    @Test func whatAToolFailsLosesWhatItMustNotSay() throws {
        let input = #"{"place":1,"n":1,"place":2,"fail":"definite"}{"place":3}{"place":4,"error":{}}"#
        let records = try run(input).lines.map { try Record(parsing: $0.utf8) }
        #expect(records.map(\.names) == [["n", "fail", "done", "error"], ["place", "done"], ["place", "error"]])
    }

    @Test(
        arguments: [
            (["transient"], 75), (["transient", "limit", "definite"], 77), (["definite", "limit"], 69), ([], 0),
        ] as [([String], Int32)]) func theExitCodeIsThatOfTheFirstDefiniteFailure(failures: [String], expected: Int32)
        throws
    {
        let input = failures.map { "{\"fail\":\"\($0)\"}" }.joined(separator: "\n")
        #expect(try run(input).status == expected)
    }

    @Test func theFirstFailureIsThatOfTheFirstRecordAndNotOfTheFastest() throws {
        let tool = Marker()
        let sink = try Sink()
        var options = RecordRunOptions()
        options.jobs = 2
        options.strict = true
        let run = RecordRun(tool: tool, options: options, output: sink.file, log: .silent, interruption: Interruption())
        let input = #"{"hold":1,"fail":"definite"}{"fail":"limit"}{"error":{"exit":66}}nonsense"#
        let reader = RecordReader(bytes: Array(input.utf8))
        let status = try run.run {
            guard let next = try reader.nextInput() else {
                _ = tool.gate.update { $0.opened.insert(1) }
                return nil
            }
            return next
        }
        #expect(status == 69)
        #expect(sink.lines().count == 4)
    }

    @Test func recordsWithAnErrorPassUntouched() throws {
        let line = #"{"n":1,"error":{"tool":"other","code":"x","exit":69,"transient":false}}"#
        let (lines, status) = try run(line)
        #expect(lines == [line])
        #expect(status == 0)
        #expect(try run(line) { $0.strict = true }.status == 69)
    }

    @Test func onlyTheToolsOwnTransientErrorsAreTriedAgain() throws {
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

    @Test func failFastLosesNothingThatCameBeforeTheFailure() throws {
        let input = (1...40).map { "{\"n\":\($0)}\n" }.joined() + "nonsense\n{\"n\":42}"
        let (lines, status) = try run(input) {
            $0.failFast = true
            $0.jobs = 4
        }
        #expect(lines.count == 41)
        #expect(status == 65)
    }

    /// The bad line is the first failure in time, the held record the first in order: nothing behind that is begun.
    @Test func failFastStopsAtTheLowestFailureAndNotAtTheFirstInTime() throws {
        let tool = Marker()
        let sink = try Sink()
        var options = RecordRunOptions()
        options.jobs = 2
        options.failFast = true
        let run = RecordRun(tool: tool, options: options, output: sink.file, log: .silent, interruption: Interruption())
        let input = #"{"skip":1}{"hold":1,"fail":"limit"}{"hold":2}{"hold":3}"# + "\nnonsense"
        let reader = RecordReader(bytes: Array(input.utf8))
        let opener = try Thread.start {
            // Written when the input is over for the run, the bad line turned away.
            _ = sink.waitForLines(1)
            _ = tool.gate.update { $0.opened.insert(1) }
            _ = sink.waitForLines(2)
            tool.gate.update { $0.opened.formUnion([2, 3]) }
        }
        let status = try run.run {
            let next = try reader.nextInput()
            if case .bad? = next { tool.gate.wait { $0.started == [1, 2] ? () : nil } }
            return next
        }
        opener.join()
        #expect(status == 77)
        #expect(tool.gate.withLock { $0.started } == [1, 2])
    }

    @Test func endOfRunIsThrownBehindTheRecordThatBearsIt() throws {
        let sink = try Sink()
        let run = RecordRun(
            tool: Marker(), options: RecordRunOptions(), output: sink.file, log: .silent, interruption: Interruption())
        let reader = RecordReader(bytes: Array("{\"fail\":\"limit\"}\n{\"fail\":\"end\"}\n{\"n\":3}".utf8))
        let failure = #expect(throws: EndOfRun.self) { try run.run { try reader.nextInput() } }
        #expect(failure?.exitCode == .usage)
        let lines = sink.lines()
        #expect(lines.count == 2)
        #expect(lines.last?.contains("\"exit\":64") == true)
    }

    @Test func aBadLineBecomesARecordWithItsNumber() throws {
        let (lines, status) = try run("{\"n\":1}\nnonsense\n{\"n\":3}")
        #expect(status == 65)
        #expect(lines.count == 3)
        let bad = try Record(parsing: Array(lines[1].utf8))
        #expect(bad.integer("input_line") == 2)
        #expect(bad.string("error.code") == "not-json")
        #expect(bad.integer("error.exit") == 65)
    }

    @Test func aFieldIsPrintedRawOrMissedWithTheRecordsCode() throws {
        let input = "{\"a\":{\"b\":\"x y\"}}\n{\"a\":{\"b\":7}}\n"
        let layout = RecordLayout.field("a.b", terminator: 10)
        #expect(try run(input) { $0.layout = layout } == (["x y", "7"], 0))
        #expect(try run(input + "{}") { $0.layout = layout } == (["x y", "7"], 65))
        #expect(try run("{\"fail\":\"limit\"}") { $0.layout = layout } == ([], 77))
    }

    @Test func severalFieldsAreColumnsOfWhichSomeMayBeMissing() throws {
        let layout = try #require(RecordLayout(fields: "a.b, c,n"))
        let input = #"{"a":{"b":"x\ty\n\r\\"},"c":"z","n":1}{"c":null,"n":[1, 2]}{"a":{"b":"q"}}"#
        let rows = [#"x\ty\n\r\\"# + "\tz\t1", "\t\t[1, 2]", "q\t\t"]
        #expect(try run(input) { $0.layout = layout } == (rows, 0))
        #expect(try run(input + #"{"d":1}"#) { $0.layout = layout } == (rows, 65))
        #expect(try run(#"{"fail":"limit"}"#) { $0.layout = layout } == ([], 77))
    }

    @Test func columnsMayEndInNUL() throws {
        let layout = try #require(RecordLayout(fields: "a,b", terminator: 0))
        #expect(try run(#"{"a":1,"b":"x\ny"}{"b":2}"#) { $0.layout = layout }.lines == ["1\tx\\ny\0\t2\0"])
    }

    @Test func fieldsAreReadFromTextWithCommas() {
        #expect(RecordLayout(fields: "a.b") == .field("a.b", terminator: 10))
        #expect(
            RecordLayout(fields: "date, cache.key", terminator: 0) == .fields(["date", "cache.key"], terminator: 0))
        for bad in ["", ",", "a,", ",a", "a,,b", "a,.b", "a..b", " "] {
            #expect(RecordLayout(fields: bad) == nil, "\(bad)")
        }
    }

    @Test func whatIsMissingIsNamedInWords() {
        #expect(RecordLayout(fields: "a.b")?.part == "a.b")
        #expect(RecordLayout(fields: "a,b,c")?.part == "a, b or c")
    }

    @Test func textIsWrittenWithItsSeparatorOrMissedAsAFieldIs() throws {
        let text = RecordText(part: "name", separator: "--\n") { record in record.string("name").map { "<\($0)>" } }
        let layout = RecordLayout.text(text)
        #expect(try run(#"{"name":"a"}{"name":"b"}"#) { $0.layout = layout } == (["<a>", "--", "<b>"], 0))
        #expect(try run(#"{"name":"a"}{}{"name":"b"}"#) { $0.layout = layout } == (["<a>", "--", "<b>"], 65))
        #expect(try run(#"{"fail":"limit"}{"name":"b"}"#) { $0.layout = layout } == (["<b>"], 77))
    }

    @Test func aClosedPipeEndsTheRunQuietly() throws {
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

    @Test func aFullDiskIsSaid() throws {
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

    @Test func whatTheSourceThrowsComesAfterTheRecordsBeforeIt() throws {
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
