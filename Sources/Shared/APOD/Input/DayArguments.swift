import Support

/// The options and operands of a command line that name days, as unparsed text.
public struct DayArguments: Sendable, Equatable {
    /// The values of `--date`, in order.
    public var dates: [String] = []
    public var last: String?
    public var count: String?
    public var seed: String?
    /// `--require-today`: fails if today's picture is not published yet.
    public var requiresToday = false
    /// The operands: days in the form of `--date`, or `-`.
    public var operands: [String] = []

    public init() {}

    /// Returns the plan for the requested days, or nil if the days are read from standard input.
    ///
    /// Throws `UsageFailure` for malformed or impossible days and numbers, and for options that cannot be combined.
    ///
    /// - Parameters:
    ///   - log: receives the random seed as a detail if the user set no seed.
    ///   - chance: returns a random seed.
    public func plan(
        at time: Timestamp, log: Log, chance: () -> UInt64 = { UInt64.random(in: 0..<1_000_000_000) }
    ) throws -> DayPlan? {
        try checkExclusions()
        if readsInput { return nil }
        if let last { return try .last(Self.number(last, of: "--last"), at: time) }
        if let count {
            let count = try Self.number(count, of: "--count")
            return try drawing(log, chance) { try DayPlan.random(count, seed: $0, at: time) }
        }
        if requiresToday { return try .named([.day(PublishedDays.newest(at: time))], at: time) }
        let named = try dates.map { try Self.named($0, at: time) } + operands.map { try NamedDays(typed: $0, at: time) }
        return try .named(named.isEmpty ? [.today] : named, at: time)
    }

    /// Returns the plan for the requested cached days. `--last` and `--count` select from all cached days that match.
    ///
    /// - Parameter kept: returns the cached days of a plan that match the other options, in ascending order. For nil,
    ///   returns all cached days that match.
    public func plan(
        ofKept kept: (DayPlan?) throws -> [CalendarDay], at time: Timestamp, log: Log,
        chance: () -> UInt64 = { UInt64.random(in: 0..<1_000_000_000) }
    ) throws -> DayPlan {
        var days: [CalendarDay]
        if let text = last ?? count {
            let option = last == nil ? "--count" : "--last"
            _ = try plan(at: time, log: .silent) { 0 }
            let count = try Self.number(text, of: option)
            days = try kept(nil)
            if days.count < count {
                let requested = count == 1 ? "1 day was" : "\(count) days were"
                let found = days.count == 1 ? "1 cached day matches" : "\(days.count) cached days match"
                log.notice("\(requested) requested, but only \(found)")
            }
            if last != nil {
                days = days.suffix(count)
            } else {
                let all = Set(days)
                days = try drawing(log, chance) { seed in
                    var lottery = DayLottery(from: all, seed: seed)
                    return lottery.draw(count)
                }
            }
        } else {
            guard let plan = try plan(at: time, log: log) else {
                throw UsageFailure("--search and - cannot be combined; --search selects cached days")
            }
            days = try kept(namesDays || requiresToday ? plan : nil)
        }
        return DayPlan(steps: days.map(DayPlan.Step.day))
    }

    /// Calls `draw` with the seed that the user set, or with a random seed, which is logged.
    private func drawing<Drawn>(_ log: Log, _ chance: () -> UInt64, _ draw: (UInt64) throws -> Drawn) throws -> Drawn {
        let named = try seedNumber()
        let seed = named ?? chance()
        let drawn = try draw(seed)
        if named == nil { log.detail("--seed \(seed) draws the same days again") }
        return drawn
    }

    private var readsInput: Bool { operands.contains("-") }

    private var namesDays: Bool { !dates.isEmpty || !operands.isEmpty && !readsInput }

    private func checkExclusions() throws {
        if readsInput, let other = operands.first(where: { $0 != "-" }) {
            throw UsageFailure("\"\(other)\" and - cannot be combined")
        }
        if readsInput, operands.count > 1 { throw UsageFailure("standard input can be read only once; use - once") }
        let ways = [
            (dates.isEmpty ? "\"\(operands.first ?? "")\"" : "--date", namesDays),
            ("--last", last != nil), ("--count", count != nil), ("-", readsInput),
        ].filter(\.1).map(\.0)
        guard ways.count <= 1 else { throw UsageFailure("\(ways[0]) and \(ways[1]) cannot be combined") }
        if requiresToday, ways.count > (namesDays ? 1 : 0) || !(dates + operands).allSatisfy({ $0 == "today" }) {
            throw UsageFailure("--require-today can only be combined with --date today")
        }
        if seed != nil, count == nil { throw UsageFailure("--seed requires --count") }
    }

    private static func named(_ text: String, at time: Timestamp) throws -> NamedDays {
        do {
            return try NamedDays(typed: text, at: time)
        } catch {
            throw UsageFailure("--date: \(failure(of: error).message)")
        }
    }

    private static func number(_ text: String, of option: String) throws -> Int {
        guard let number = Int(text) else { throw UsageFailure("\(option) takes a number of days, not \"\(text)\"") }
        return number
    }

    private func seedNumber() throws -> UInt64? {
        guard let seed else { return nil }
        if let number = UInt64(seed) { return number }
        throw UsageFailure("--seed takes a whole number from 0 to \(UInt64.max), not \"\(seed)\"")
    }
}
