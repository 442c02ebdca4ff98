import Libc
import Support
import TestSupport

/// A case of a kill test: the random seed, and the number of runs to kill in a new home.
struct KilledHome: Sendable, CustomStringConvertible {
    let seed: UInt64
    let kills: Int

    var description: String { "\(kills) kills, seed \(seed)" }

    /// The cases of each kill test. Together they kill `APOD_TOOLS_KILLS` runs (default: 10). Their seeds count up from
    /// `APOD_TOOLS_SEED` (default: 1).
    static let all: [KilledHome] = {
        let (kills, first) = (number("APOD_TOOLS_KILLS") ?? 10, number("APOD_TOOLS_SEED") ?? 1)
        return stride(from: 0, to: kills, by: most).enumerated().map { index, done in
            KilledHome(seed: UInt64(first + index), kills: min(most, kills - done))
        }
    }()

    /// The maximum number of kills in a home. More kills would only enlarge its cache.
    private static let most = 10

    private static func number(_ name: String) -> Int? {
        guard let text = Environment.ofProcess()[name] else { return nil }
        guard let number = Int(text), number > 0 else {
            preconditionFailure("\(name) takes a whole number from 1 on, not \"\(text)\"")
        }
        return number
    }
}

/// Kills runs with SIGKILL at random moments, and counts the kills.
final class Killer {
    private(set) var kills = 0
    var random: SeededRandom
    private let wanted: Int
    /// The duration of each kind of work in its last complete run, in polls.
    private var lengths: [String: Int] = [:]

    init(_ home: KilledHome) {
        random = SeededRandom(seed: home.seed)
        wanted = home.kills
    }

    /// Repeats `round` until `wanted` runs were killed. Throws `BrokenClaim` if too many runs end before they are
    /// killed.
    func repeatUntilDone(_ round: () throws -> Void) throws {
        for _ in 0..<5 * wanted + 10 where kills < wanted { try round() }
        try claim(kills >= wanted, "too many runs ended before they were killed")
    }

    /// Kills a run at a random moment and returns its output. The moment is chosen within the usual duration of this
    /// kind of work, so the first run of each kind, and some later runs, end before the kill.
    func kill(_ tool: RunningTool, work: String, isCounted: Bool = true) -> ToolOutput {
        let limit = lengths[work].map { random.below($0 * 5 / 4 + 1) } ?? .max
        let looks = look(atMost: limit, at: tool)
        let output = killNow(tool, isCounted: isCounted)
        if output.signal != SIGKILL { lengths[work] = looks }
        return output
    }

    /// Kills a run after at most 4,096 polls, and usually after a few.
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

    /// Polls about once per microsecond while the tool runs. Returns the number of polls.
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
    /// The lines of standard output that end with a newline. A kill may cut off the last line.
    var wholeLines: [String] {
        stdout.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
}

extension ToolHome {
    /// Expects that `img-cache verify` finds no damage.
    func expectVerified(_ options: String..., story: String = "") throws {
        let output = try run("img-cache", ["verify"] + options)
        try claim(output.status == 0, "\(story) \(output)")
    }
}
