import Support
import Testing

@testable import APOD

@Suite struct DayArgumentsTests {
    private let now = time("2026-11-20", 12)

    /// Parses a command line.
    private func arguments(_ line: String) -> DayArguments {
        var arguments = DayArguments()
        var words = line.split(separator: " ").map(String.init)[...]
        while let word = words.popFirst() {
            switch word {
            case "--date": arguments.dates.append(words.removeFirst())
            case "--last": arguments.last = words.removeFirst()
            case "--count": arguments.count = words.removeFirst()
            case "--require-today": arguments.requiresToday = true
            case "--seed": arguments.seed = words.removeFirst()
            default: arguments.operands.append(word)
            }
        }
        return arguments
    }

    @Test(arguments: [
        ("", DayRequest.newest), ("--date today", .newest),
        ("--date 2024-02 --date yesterday", .named([.month(2, year: 2024), .yesterday])),
        ("2024-02 yesterday", .named([.month(2, year: 2024), .yesterday])),
        ("yesterday --date 2024-02", .named([.month(2, year: 2024), .yesterday])),
        ("--require-today today", .day(day("2026-11-20"))),
        ("--last 7", .last(7)), ("--count 5 --seed 42", .random(5, seed: 42)), ("--count 5", .random(5, seed: 99)),
        ("--seed 18446744073709551615 --count 1", .random(1, seed: .max)),
        ("--date 2024..", .range(from: .year(2024), through: nil)),
        ("--date 2024-01-15..2024-02", .range(from: .day(day("2024-01-15")), through: .month(2, year: 2024))),
        ("--require-today", .day(day("2026-11-20"))), ("--require-today --date today", .day(day("2026-11-20"))),
    ])
    func eachKindOfRequestBecomesAPlan(_ line: String, _ request: DayRequest) throws {
        #expect(try arguments(line).plan(at: now, log: .silent, chance: { 99 }) == request.plan(now))
    }

    @Test func hyphenSelectsStandardInput() throws {
        #expect(try arguments("-").plan(at: now, log: .silent) == nil)
        #expect(arguments("") == DayArguments() && arguments("-") != DayArguments())
    }

    @Test(arguments: [
        ("--last 1", [], "1 day was requested, but only 0 cached days match"),
        ("--count 2 --seed 1", ["2024-02-03"], "2 days were requested, but only 1 cached day matches"),
    ])
    func missingCachedDaysAreCounted(_ line: String, _ kept: [String], _ words: String) throws {
        let lines = Lines()
        let plan = try arguments(line).plan(ofKept: { _ in kept.map { day($0) } }, at: now, log: lines.log)
        #expect(plan.steps.count == kept.count)
        #expect(lines.all == ["apod-fetch: \(words)\n"])
    }

    @Test func seedIsLoggedOnlyIfItWasGenerated() throws {
        let lines = Lines()
        _ = try arguments("--count 5 --seed 42").plan(at: now, log: lines.log)
        #expect(lines.all.isEmpty)
        _ = try arguments("--count 5").plan(at: now, log: lines.log, chance: { 99 })
        #expect(lines.all == ["apod-fetch: --seed 99 draws the same days again\n"])
    }

    @Test(arguments: [
        ("--date today --last 2", "--date and --last cannot be combined"),
        ("--last 2 --count 2", "--last and --count cannot be"),
        ("--count 2 --date 2024..", "--date and --count"),
        ("--date today -", "--date and - cannot be"), ("- --last 2", "--last and - cannot be"),
        ("--count 2 -", "--count and - cannot be"),
        ("--date ..2024", "--date: \"..2024\" is a range without a first day; use 1995-06-16..2024"),
        ("--seed 3", "--seed requires --count"),
        ("--seed 3 --last 2", "--seed requires --count"), ("--count 2 --seed x", "whole number"),
        ("--count 2 --seed 18446744073709551616", "whole number"),
        ("--last some", "--last takes a number of days, not \"some\""),
        ("--count 1.5", "--count takes a number"), ("--count 99999999999999999999", "--count takes a number"),
        ("--date tody", "--date: \"tody\" is not a day; use a day from"), ("--date tody", "; did you mean today?"),
        ("--date 2024-02-30..", "--date: there is no day"),
        ("--date 2024..2024-13", "--date: there is no month 2024-13"),
        ("--require-today --last 2", "--require-today can only be combined with --date today"),
        ("--require-today --date 2024", "--require-today can only be combined with"),
        ("--require-today -", "--require-today can only be combined with"),
        ("--date 2024..2025..2026", "--date: \"2025..2026\" is a range"),
        ("--date 2024..2023", "the range ends on 2023-12-31, before its start on 2024-01-01"),
        ("- 2024", "\"2024\" and - cannot be combined"), ("2024 --last 2", "\"2024\" and --last cannot be"),
        ("2024 --count 2", "\"2024\" and --count cannot be"),
        ("--require-today 2024", "--require-today can only be combined with"),
        ("banana", "\"banana\" is not a day"), ("tody", "did you mean today?"),
        ("- -", "standard input can be read only once; use - once"),
    ])
    func invalidArgumentsAreRefusedWithAReason(_ line: String, _ words: String) {
        let failure = #expect(throws: UsageFailure.self) { try arguments(line).plan(at: now, log: .silent) }
        #expect(failure?.message.contains(words) == true, "\(failure?.message ?? "")")
    }

    @Test func randomSeedDiffersBetweenPlans() throws {
        let plans = try (0..<8).map { _ in try arguments("--count 1").plan(at: now, log: .silent) }
        #expect(plans.contains { $0 != plans[0] })
    }
}
