import ArgumentParser
import Support
import TestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Answers like the services that the tools ask, on loopback, for tests and the demonstration.
@main
struct SampleServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample-service",
        abstract: "Answers like NASA's picture of the day and ExerciseDB, on 127.0.0.1.",
        discussion: """
            Prints its address on one line of standard output as soon as it listens. Ends when its standard input \
            ends, or by a signal, so that whoever starts it cannot leave it behind.

            \(Routes.help)

            \(SampleDay.help)

            \(Fault.help)

            \(ExerciseFault.help)
            """)

    @Option(help: "The port; 0 takes a free one.")
    var port: UInt16 = 0

    @Option(help: ArgumentHelp("The newest day with a picture (default: today in UTC).", valueName: "date"))
    var today: String?

    @Option(help: "What the old service answers: its logo for every day, as since October 2026, or the day's picture.")
    var legacy: LegacyManner = .logo

    @Option(help: "The one key that the old service takes (default: any that is not named below).")
    var apiKey: String?

    @Option(help: "The key that ExerciseDB asks for (default: none).")
    var exerciseKey: String?

    @Option(help: "How many exercises there are.")
    var exercises = 1300

    @Option(help: ArgumentHelp("Refuse requests for GIFs after so many: the month's quota is used up.", valueName: "n"))
    var exerciseQuota: Int?

    @Option(help: ArgumentHelp("The side of all GIFs, whatever resolution is asked for.", valueName: "pixels"))
    var exerciseSide: Int?

    @Flag(help: "Let some GIFs be wrong, as told below.")
    var exerciseFaults = false

    @Option(help: ArgumentHelp("Width and height of the full pictures.", valueName: "WxH"))
    var size = "2400x1600"

    @Option(help: ArgumentHelp("The folder of recorded answers (apod, exercisedb, launches).", valueName: "folder"))
    var fixtures: String?

    @Option(help: ArgumentHelp("Append a line for each request: status, method, target.", valueName: "file"))
    var log: String?

    @Option(help: ArgumentHelp("Write one picture to standard output, as after /pictures/.", valueName: "address"))
    var draw: String?

    func validate() throws {
        if let today, CalendarDay(today) == nil { throw ValidationError("--today must be a day such as 2026-11-21") }
        if parsedSize == nil { throw ValidationError("--size must be such as 2400x1600") }
        if !(0...9999).contains(exercises) { throw ValidationError("--exercises must be 0 to 9999") }
        if let exerciseSide, !(8...1080).contains(exerciseSide) {
            throw ValidationError("--exercise-side must be 8 to 1080")
        }
    }

    func run() throws {
        let (width, height) = parsedSize ?? (2400, 1600)
        let output = try File(descriptor: 1, path: "standard output", closes: false)
        if let draw {
            let request = LoopbackRequest(method: "GET", target: "/pictures/\(draw)")
            guard let response = PictureAnswers(width: width, height: height).answer(request), response.status == 200
            else { throw ValidationError("cannot draw \(draw)") }
            return try output.write(response.body)
        }
        let settings = SampleSettings(
            today: today.flatMap { CalendarDay($0) }, legacy: legacy, apiKey: apiKey, exerciseKey: exerciseKey,
            exerciseCount: exercises,
            exerciseQuota: exerciseQuota, exerciseSide: exerciseSide, hasExerciseFaults: exerciseFaults, width: width, height: height, fixtures: fixtures)
        let log = try log.map { try File.open($0, O_WRONLY | O_CREAT | O_APPEND, mode: 0o644, purpose: .makeOutput) }
        let service = SampleService(settings, log: log)
        let server = try LoopbackServer(port: port) { request, connection in
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

    private var parsedSize: (Int, Int)? {
        let numbers = size.split(separator: "x").compactMap { Int($0) }
        guard numbers.count == 2, numbers.allSatisfy({ (1...20_000).contains($0) }) else { return nil }
        return (numbers[0], numbers[1])
    }
}

/// How the old service behaves.
enum LegacyManner: String, ExpressibleByArgument, CaseIterable {
    case logo, classic
}
