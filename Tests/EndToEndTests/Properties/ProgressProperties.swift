import Records
import TestSupport
import Testing

@testable import Support

/// The progress of long work on a terminal and in a log.
struct ProgressProperties {
    // MARK: Messages

    @Test("Feature: nasa-apod-viewer, Property 9: every step of any work changes the progress line")
    func everyStepOfAnyWorkIsSeen() throws {
        try forAll { random in
            let count = random.number(1...60)
            var now = Duration.milliseconds(random.below(1_000_000))
            var state = ProgressState(began: now, expected: random.chance(60) ? count : nil)
            state.unit = random.one(of: [.records, .days])
            let columns = random.number(40...160)
            for step in 1...count {
                now += .milliseconds(random.number(30...900))
                if random.chance(70) { try Self.download(&state, &now, columns, &random) }
                let before = try Self.line(state, now, columns)
                state.finishRecord(failed: random.chance(15))
                let after = try Self.line(state, now, columns)
                try claim(before != after, "the line did not change: \(before)")
                let isCounted = after.hasPrefix("\(step) of \(count) ") || after.hasPrefix("\(step) d")
                try claim(isCounted, "\(step) of \(count), but \(after)")
            }
            try claim(
                state.transfers.isEmpty && state.secondsLeft(at: now) == nil, "the bar is not at its end: \(state)")
        }
    }

    /// Returns the progress line. Throws if it does not fit the terminal.
    private static func line(_ state: ProgressState, _ now: Duration, _ columns: Int) throws -> String {
        let (text, width) = ProgressLine.drawn(state, at: now, columns: columns, hasColour: false)
        try claim(!text.isEmpty && width < columns && width == TerminalText.columns(text), "\(columns): \(text)")
        try claim(
            !ProgressLine.plain(state, at: now).isEmpty, "the line for a log is empty, but the terminal shows \(text)")
        return text
    }

    /// Simulates a download in several pieces and draws each step.
    private static func download(
        _ state: inout ProgressState, _ now: inout Duration, _ columns: Int, _ random: inout SeededRandom
    ) throws {
        let pieces = (0..<random.number(1...6)).map { _ in random.number(10_000...3_000_000) }
        let name = RandomText.sentence(&random, words: 0...4, hasAngles: true)
        let transfer = state.begin(name)
        let total = pieces.reduce(0, +)
        state.expect(transfer, bytes: 0, total: random.chance(70) ? total : nil)
        var share = 0
        for piece in pieces {
            let before = state.received
            state.receive(transfer, piece)
            now += .milliseconds(random.number(100...1500))
            state.sampleRate(at: now)
            _ = try line(state, now, columns)
            try claim(state.received == before + piece, "\(state.received) bytes")
            guard let shown = state.transfers[transfer], let promised = shown.total else { continue }
            let next = shown.bytes * 100 / promised
            try claim(share <= next && next <= 100, "\(next) % after \(share) %")
            share = next
        }
        state.end(transfer)
    }

    // MARK: On a terminal

    /// A server that answers a limited number of requests.
    private final class Gate: Sendable {
        private let open = Monitor(0)

        /// Admits `count` more requests.
        func pass(_ count: Int = 1) { open.update { $0 = min($0, 1 << 20) + count } }

        /// Waits until the request with this number, counted from 0, is admitted. Returns false after 60 seconds.
        func wait(for number: Int) -> Bool { open.wait(atMost: .seconds(60)) { $0 > number ? true : nil } ?? false }
    }

    private static let clear = "\r\u{1B}[K"

    @Test("Feature: nasa-apod-viewer, Property 9: every tool shows its progress")
    func everyToolShowsProgress() throws {
        try forAll(8) { random in
            let gate = Gate()
            let nasa = try RandomNASA { exchange in if gate.wait(for: exchange.number) { try exchange.answer() } }
            let home = try ToolHome(
                environment: nasa.environment.merging(["TERM": "xterm", "EXERCISEDB_API_URL": nasa.site]) { $1 })
            let tool = random.one(of: ["apod-fetch", "img-cache", "gif-cache", "img-downsample"])
            let count = random.number(1...4)
            let isDrawn = random.chance(50)
            let arguments = try Self.arguments(of: tool, count, nasa, home, &random)
            let readsRecords = tool == "img-downsample"
            let running = try home.start(
                tool, arguments + (isDrawn ? [] : ["APOD_TOOLS_PROGRESS=plain"]), stdin: readsRecords ? .pipe : .empty,
                stderr: isDrawn ? .terminal : .collected)
            if readsRecords { running.write("{\"path\":\"\(home.path("0.png"))\"}\n") }

            // No request is answered and no further record is sent before progress is shown.
            let isSeen = running.waitForErrors(isDrawn ? Self.clear : "\(tool): ")
            gate.pass(1 << 20)
            if readsRecords {
                for number in 1..<max(count, 1) { running.write("{\"path\":\"\(home.path("\(number).png"))\"}\n") }
            }
            let output = running.wait()
            try claim(isSeen, "no progress is shown: \(output)")
            try claim(output.status == 0, "\(output)")
            if isDrawn {
                try claim(output.stderr.hasSuffix(Self.clear), "the progress line is not cleared: \(output)")
                try claim(output.stderr.count > 2 * Self.clear.count, "no progress is drawn: \(output)")
            } else {
                let last = output.errorLines.last ?? ""
                let results = ["\(count) done", "\(count) of \(count) done", "\(count) of \(count) days"]
                try claim(results.contains { last.contains(": \($0)") }, "\(output)")
            }
        }
    }

    @Test("Feature: nasa-apod-viewer, Property 9: every finished picture is counted immediately")
    func everyFinishedPictureIsCounted() throws {
        try forAll(3) { random in
            let gate = Gate()
            let nasa = try RandomNASA { exchange in if gate.wait(for: exchange.number) { try exchange.answer() } }
            let home = try ToolHome(environment: nasa.environment.merging(["TERM": "xterm"]) { $1 })
            let count = random.number(2...4)
            let urls = (0..<count).map { "\(nasa.site)/pictures/\($0).png" }
            let running = try home.start(
                "img-cache", ["put", "--jobs", "1"] + urls, stdin: .empty, stderr: .terminal)
            try claim(running.waitForErrors("0 of \(count) done"), "no progress is shown")
            for done in 1..<count {
                gate.pass()
                try claim(running.waitForErrors("\(done) of \(count) done"), "\(done) of \(count) is not shown")
            }
            gate.pass()
            let output = running.wait()
            try claim(output.status == 0 && output.stderr.hasSuffix(Self.clear), "\(output)")
        }
    }

    /// The arguments for a tool with `count` items.
    private static func arguments(
        of tool: String, _ count: Int, _ nasa: RandomNASA, _ home: ToolHome, _ random: inout SeededRandom
    ) throws -> [String] {
        switch tool {
        case "apod-fetch":
            let days = nasa.addRange(count, medium: .picture, &random)
            return ["APOD_TOOLS_SERVICE=science", "--date", "\(days[0].day)..\(days[count - 1].day)"]
        case "img-cache": return ["put"] + (0..<count).map { "\(nasa.site)/pictures/\($0).png" }
        case "gif-cache": return ["put"] + (1...count).map { "000\($0)" }
        default:
            for number in 0..<count {
                let picture = DrawnPicture.noise(random.number(9...90), 30, seed: random.next())
                try home.write("\(number).png", picture.png())
            }
            return ["--width", "20", "--allow-path", "."]
        }
    }
}
