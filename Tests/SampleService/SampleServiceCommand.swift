import Libc
import Options
import Support
import TestSupport

extension AnyOption {
    static let port = Option.number("port", in: 0...65_535, summary: "The port.").whenUnset("a free one")
    static let today = Option<CalendarDay>(
        "today", form: .value("DATE"), expected: "a day such as 2026-11-21", group: .own,
        summary: "The newest day with a picture."
    ) { CalendarDay($0) }.whenUnset("today in UTC")
    static let legacy = Option<LegacyManner>.case(
        "legacy", "MANNER",
        summary: "The classic server's response: its logo for every day, as since October 2026, or the day's picture."
    ).defaulting(to: .logo)
    static let exerciseKey = Option.text("exercise-key", "KEY", summary: "The key that ExerciseDB requires.")
    static let exercises = Option.number("exercises", in: 0...9999, summary: "The number of exercises.")
        .defaulting(to: 1300)
    static let exerciseQuota = Option.number(
        "exercise-quota", in: 0...1_000_000,
        summary: "Refuse further requests for GIFs after this many, like a used-up monthly quota.")
    static let exerciseSide = Option.number(
        "exercise-side", in: 8...1080, summary: "The side of all GIFs, for every requested resolution.")
    static let exerciseFaults = Option.flag("exercise-faults", summary: "Send some faulty GIFs, as listed below.")
    static let exerciseMedia = Option.text(
        "exercise-media", "URL",
        summary: "The address of the GIFs of ExerciseDB's open version, without /exercise-gifs/ID.gif."
    )
    static let size = Option<PictureSize>(
        "size", form: .value("WxH"), expected: "a size such as 2400x1600", group: .own,
        summary: "Width and height of the full pictures.", print: { "\($0.width)x\($0.height)" }, read: PictureSize.init
    ).defaulting(to: PictureSize("2400x1600")!)
    static let fixtures = Option.path(
        "fixtures", as: "DIR", isFolder: true, summary: "The folder of recorded answers (apod, exercisedb, launches).")
    static let log = Option.path("log", summary: "Append a line for each request: status, method, target.")
    static let draw = Option.text(
        "draw", "ADDRESS", summary: "Write a picture to standard output, with an address as after /pictures/.")
}

struct PictureSize: Sendable {
    let width: Int
    let height: Int

    init?(_ text: String) {
        let numbers = text.split(separator: "x").compactMap { Int($0) }
        guard numbers.count == 2, numbers.allSatisfy({ (1...20_000).contains($0) }) else { return nil }
        (width, height) = (numbers[0], numbers[1])
    }
}

/// A local imitation of the services that the tools use, for tests and the demonstration.
@main
struct SampleServiceCommand {
    static let command = Command(
        "sample-service", summary: "Imitates NASA's picture of the day and ExerciseDB on 127.0.0.1.",
        details: """
            Prints its address on one line of standard output as soon as it listens. Ends when its standard input \
            ends, or on a signal, so that it cannot outlive the program that starts it.

            \(verbatim(Routes.help))

            \(verbatim(SampleDay.help))

            \(verbatim(Fault.help))

            \(verbatim(ExerciseFault.help))
            """,
        options: {
            [
                [.port, .today, .legacy, .exerciseKey, .exercises, .exerciseQuota, .exerciseSide],
                [.exerciseFaults, .exerciseMedia, .size, .fixtures, .log, .draw],
            ]
        }
    ) { arguments in
        try SampleServiceCommand(arguments: arguments).run()
        return 0
    }

    /// Returns the text with each line indented by a space, because help would otherwise rewrap it.
    private static func verbatim(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : " \($0)" }
            .joined(separator: "\n")
    }

    static func main() {
        do {
            switch try command.request(ProgramArguments.ofProcess()) {
            case .run(let command, let arguments): exit(try command.run?(arguments) ?? 0)
            case .help(let path, _): print(Command.fullHelp(path, exitStatus: "0 done, 64 usage."))
            case .version, .generate: print(toolsVersion)
            }
        } catch {
            let failure = failure(of: error)
            Log(tool: command.name).error(failure.message)
            exit(failure.exitCode.rawValue)
        }
    }

    let arguments: Arguments

    func run() throws {
        let (width, height) = (arguments[.size].width, arguments[.size].height)
        let output = try File(descriptor: 1, path: "standard output", closes: false)
        if let draw = arguments[.draw] {
            let request = LoopbackRequest(method: "GET", target: "/pictures/\(draw)")
            guard let response = PictureAnswers(width: width, height: height).answer(request), response.status == 200
            else { throw UsageFailure("cannot draw \(draw)") }
            return try output.write(response.body)
        }
        let settings = SampleSettings(
            today: arguments[.today], legacy: arguments[.legacy],
            exerciseKey: arguments[.exerciseKey], exerciseCount: arguments[.exercises],
            exerciseQuota: arguments[.exerciseQuota], exerciseSide: arguments[.exerciseSide],
            hasExerciseFaults: arguments[.exerciseFaults],
            exerciseMedia: arguments[.exerciseMedia], width: width, height: height,
            fixtures: arguments[.fixtures])
        let log = try arguments[.log].map {
            try File.open($0, O_WRONLY | O_CREAT | O_APPEND, mode: 0o644, purpose: .makeOutput)
        }
        let service = SampleService(settings, log: log)
        let server = try LoopbackServer(port: UInt16(arguments[.port] ?? 0)) { request, connection in
            try service.answer(request, on: connection)
        }
        service.listens(at: server.address)
        try output.write(Array("\(server.address)\n".utf8))

        let input = try File(descriptor: 0, path: "standard input", closes: false)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
        defer { buffer.deallocate() }
        while try input.read(into: buffer) > 0 {}
        server.stop()
    }
}

/// The behaviour of the old service.
enum LegacyManner: String, Sendable, CaseIterable {
    case logo, classic
}
