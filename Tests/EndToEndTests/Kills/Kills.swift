import Libc
import Support
import TestSupport

/// A home in which runs are killed: the seed of all that is random there, and how many runs.
struct KilledHome: Sendable, CustomStringConvertible {
    let seed: UInt64
    let kills: Int

    var description: String { "\(kills) kills, seed \(seed)" }

    /// The homes of each kind of kill test: together they kill `APOD_TOOLS_KILLS` runs, by default 10. The first seed
    /// is `APOD_TOOLS_SEED`, by default 1.
    static let all: [KilledHome] = {
        let (kills, first) = (number("APOD_TOOLS_KILLS") ?? 10, number("APOD_TOOLS_SEED") ?? 1)
        return stride(from: 0, to: kills, by: most).enumerated().map { index, done in
            KilledHome(seed: UInt64(first + index), kills: min(most, kills - done))
        }
    }()

    /// More kills in one home would enlarge its cache rather than find more faults.
    private static let most = 10

    private static func number(_ name: String) -> Int? {
        guard let text = Environment.ofProcess()[name] else { return nil }
        guard let number = Int(text), number > 0 else {
            preconditionFailure("\(name) takes a whole number from 1 on, not \"\(text)\"")
        }
        return number
    }
}

/// Kills runs by SIGKILL, each at another moment, and counts them.
final class Killer {
    private(set) var kills = 0
    var random: SeededRandom
    private let wanted: Int
    /// The length of each kind of work in its last undisturbed run, counted in looks.
    private var lengths: [String: Int] = [:]

    init(_ home: KilledHome) {
        random = SeededRandom(seed: home.seed)
        wanted = home.kills
    }

    /// Repeats `round` until at least `wanted` runs were killed. Throws `BrokenClaim` if too many end before they are
    /// killed.
    func repeatUntilDone(_ round: () throws -> Void) throws {
        for _ in 0..<5 * wanted + 10 where kills < wanted { try round() }
        try claim(kills >= wanted, "too many runs are done before they are killed")
    }

    /// Kills a run at a random moment of the time that such work takes, and returns how it ended: the first run of its
    /// kind, and some of the others, end by themselves.
    func kill(_ tool: RunningTool, work: String, isCounted: Bool = true) -> ToolOutput {
        let limit = lengths[work].map { random.below($0 * 5 / 4 + 1) } ?? .max
        let looks = look(atMost: limit, at: tool)
        let output = killNow(tool, isCounted: isCounted)
        if output.signal != SIGKILL { lengths[work] = looks }
        return output
    }

    /// Kills a run a little later: after up to 4,096 looks, mostly few.
    func killSoon(_ tool: RunningTool) -> ToolOutput {
        look(atMost: random.below(1 << random.below(13)), at: tool)
        return killNow(tool)
    }

    private func killNow(_ tool: RunningTool, isCounted: Bool = true) -> ToolOutput {
        tool.kill(SIGKILL)
        let output = tool.wait()
        if output.signal == SIGKILL, isCounted { kills += 1 }
        return output
    }

    /// Looks, for a microsecond each, while the tool runs; returns how often.
    @discardableResult
    private func look(atMost limit: Int, at tool: RunningTool) -> Int {
        var count = 0
        while count < limit, tool.isRunning {
            _ = TestFile.exists(tool.command)
            count += 1
        }
        return count
    }
}

extension ToolOutput {
    /// The complete lines of standard output, for any end of the tool: a record is written by one call.
    var wholeLines: [String] {
        stdout.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}

extension ToolHome {
    /// Expects that `img-cache verify` finds nothing wrong.
    func expectVerified(_ options: String..., story: String = "") throws {
        let output = try run("img-cache", ["verify"] + options)
        try claim(output.status == 0, "\(story) \(output)")
    }
}
