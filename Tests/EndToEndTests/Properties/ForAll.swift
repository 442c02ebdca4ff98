import Support
import TestSupport
import Testing

/// Tests a claim on random cases. Records the failing cases, each with the command that repeats it.
///
/// Every run uses the same random numbers, unless `APOD_TOOLS_SEED` sets another seed. The numbers of a case do not
/// depend on earlier cases, so `APOD_TOOLS_CASE` can repeat a single case. `APOD_TOOLS_TRIALS` sets the number of
/// cases, for a nightly run.
///
/// - Parameters:
///   - cases: the number of cases, each of which must hold.
///   - name: the name of the test, a part of the replay command and of the seed.
///   - body: throws if the claim fails; see `claim(_:_:)`.
func forAll(
    _ cases: Int = 100, name: String = #function, location: SourceLocation = #_sourceLocation,
    _ body: (inout SeededRandom) throws -> Void
) throws {
    let trial = Trial(name: name, cases: cases, settings: try TrialSettings(.ofProcess()))
    for counterexample in trial.counterexamples(body) {
        Issue.record("\(counterexample)", sourceLocation: location)
    }
}

/// Throws a `BrokenClaim` with the message unless the condition holds.
func claim(_ condition: @autoclosure () throws -> Bool, _ words: @autoclosure () -> String) throws {
    if try !condition() { throw BrokenClaim(words()) }
}

/// Returns the value, or throws a `BrokenClaim` if it is nil.
func found<Value>(_ value: Value?, _ words: @autoclosure () -> String) throws -> Value {
    guard let value else { throw BrokenClaim(words()) }
    return value
}

/// A failed claim.
struct BrokenClaim: Error, CustomStringConvertible {
    let description: String
    init(_ words: String) { description = words }
}

/// Settings for random cases, from the environment.
struct TrialSettings: Equatable {
    var seed: UInt64 = 1
    /// The only case to run; nil for all.
    var onlyCase: Int?
    /// Overrides the number of cases of a test.
    var cases: Int?

    init() {}

    /// Throws `UsageFailure` for a value that is not a number, because a typo would otherwise run every case.
    init(_ environment: Environment) throws {
        func number<Number: FixedWidthInteger>(_ name: String) throws -> Number? {
            guard let text = environment[name] else { return nil }
            guard let number = Number(text), number >= 0 else {
                throw UsageFailure("\(name) takes a whole number, not \"\(text)\"")
            }
            return number
        }
        if let seed: UInt64 = try number("APOD_TOOLS_SEED") { self.seed = seed }
        onlyCase = try number("APOD_TOOLS_CASE")
        cases = try number("APOD_TOOLS_TRIALS")
    }
}

/// The random cases of a claim.
struct Trial {
    /// The number of counterexamples to report; more would obscure the first.
    private static let limit = 3

    let name: String
    let cases: Int
    let settings: TrialSettings

    /// A case that refutes the claim.
    struct Counterexample: CustomStringConvertible {
        let name: String
        let seed: UInt64
        let number: Int
        let words: String

        /// The command that repeats this case.
        var command: String {
            "APOD_TOOLS_SEED=\(seed) APOD_TOOLS_CASE=\(number) swift test --filter '\(name.prefix { $0 != "(" })'"
        }

        var description: String { "case \(number) breaks the claim: \(words)\nto repeat this case: \(command)" }
    }

    /// The first few cases that refute the claim.
    func counterexamples(_ body: (inout SeededRandom) throws -> Void) -> [Counterexample] {
        var broken: [Counterexample] = []
        for number in settings.onlyCase.map({ [$0] }) ?? Array(0..<(settings.cases ?? cases)) {
            var random = self.random(number)
            do {
                try body(&random)
            } catch {
                broken.append(
                    Counterexample(name: name, seed: settings.seed, number: number, words: String(describing: error)))
                if broken.count == Self.limit { break }
            }
        }
        return broken
    }

    /// The random numbers of a case, independent of other cases, tests and seeds.
    private func random(_ number: Int) -> SeededRandom {
        SeededRandom(seed: SeededRandom.mixed(settings.seed &+ SeededRandom.hash("\(name)#\(number)".utf8)))
    }
}

extension SeededRandom {
    /// A uniform random number in the range.
    mutating func number(_ range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

    /// Returns true with a probability of `percent`.
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// A uniformly chosen element. `elements` must not be empty.
    mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }
}
