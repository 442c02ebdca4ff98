import Support

@testable import Records

/// Adds `"done":true`. A record with `quick` is finished during preparation. A record with `fail` fails and loses
/// `place`. A record with `hold` waits at a gate, and a record with `follow` waits for the gate of an earlier record.
struct Marker: RecordTool {
    let name = "marker"
    let gate = Monitor((opened: Set<Int>(), started: Set<Int>(), most: 0, now: 0))

    func accepts(_ job: RecordJob) -> Bool { !job.record.has("skip") }

    func retract(_ record: inout Record, argument: String?) { record.remove("place") }

    func prepare(_ job: RecordJob) -> Prepared {
        guard job.record.has("quick") else { return .work { record, run in try mark(&record, run) } }
        var record = job.record
        record.set("done", .bool(true))
        return .done(record)
    }

    private func mark(_ record: inout Record, _ run: WorkContext) throws {
        gate.update {
            $0.now += 1
            $0.most = max($0.most, $0.now)
        }
        defer { gate.update { $0.now -= 1 } }
        if let id = record.integer("hold") {
            _ = gate.update { $0.started.insert(id) }
            gate.wait { $0.opened.contains(id) ? () : nil }
        }
        if let id = record.integer("follow") {
            _ = gate.update { $0.started.insert(record.integer("n") ?? 0) }
            run.wait { gate.wait { $0.opened.contains(id) ? () : nil } }
        }
        record.set("done", .bool(true))
        switch record.string("fail") {
        case "end": throw EndOfRun(MarkedFailure(isTransient: false, exitCode: .usage))
        case "transient": throw MarkedFailure(isTransient: true, exitCode: .temporary)
        case "definite": throw MarkedFailure(isTransient: false, exitCode: .unavailable)
        case "limit": throw MarkedFailure(isTransient: false, exitCode: .notAllowed)
        default: break
        }
    }
}

struct MarkedFailure: Failure {
    var isTransient: Bool
    var exitCode: ExitCode
    var code: String { "broken" }
    var message: String { "it is broken" }
}

/// Runs a tool over the records in `input`.
func run(
    _ input: String, tool: Marker = Marker(), options configure: (inout RecordRunOptions) -> Void = { _ in }
) throws -> (lines: [String], status: Int32) {
    var options = RecordRunOptions()
    configure(&options)
    let sink = try Sink()
    let run = RecordRun(
        tool: tool, options: options, output: sink.file, log: .silent, interruption: Interruption())
    let reader = RecordReader(bytes: Array(input.utf8))
    let status = try run.run { try reader.next() }
    return (sink.lines(), status)
}
