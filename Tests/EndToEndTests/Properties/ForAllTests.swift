import Support
import TestSupport
import Testing

/// `forAll` must find, report and reproduce a false claim.
struct ForAllTests {
    private func trial(_ settings: TrialSettings = TrialSettings(), cases: Int = 100) -> Trial {
        Trial(name: "aFalseClaim()", cases: cases, settings: settings)
    }

    /// A claim that is false for about one in twenty numbers.
    private func isNeverLarge(_ random: inout SeededRandom) throws {
        let number = random.below(1000)
        try claim(number < 950, "\(number) is large")
    }

    @Test func falseClaimIsFoundAndReproduced() throws {
        let found = trial().counterexamples(isNeverLarge)
        #expect(found.count == 3)
        for example in found {
            var settings = TrialSettings()
            settings.onlyCase = example.number
            let again = trial(settings).counterexamples(isNeverLarge)
            #expect(again.map(\.words) == [example.words])
        }
        let first = try #require(found.first)
        #expect(
            first.description
                == "case \(first.number) breaks the claim: \(first.words)\n"
                + "to repeat this case: APOD_TOOLS_SEED=1 APOD_TOOLS_CASE=\(first.number) swift test --filter 'aFalseClaim'"
        )
    }

    @Test func environmentSelectsSeedAndCase() throws {
        let settings = try TrialSettings(["APOD_TOOLS_SEED": "77", "APOD_TOOLS_CASE": "4"])
        #expect(settings.seed == 77 && settings.onlyCase == 4)
        var tried = 0
        _ = trial(settings).counterexamples { _ in tried += 1 }
        #expect(tried == 1)
    }

    @Test func randomNumbersDependOnlyOnCaseSeedAndTest() throws {
        func numbers(_ trial: Trial) -> [UInt64] {
            var numbers: [UInt64] = []
            _ = trial.counterexamples { numbers.append($0.next()) }
            return numbers
        }
        let first = numbers(trial())
        #expect(first.count == 100 && Set(first).count == 100)
        #expect(numbers(trial()) == first)
        #expect(
            Array(numbers(trial(cases: 200))[..<100]) == first,
            "the number of cases changed the random numbers of earlier cases")
        var other = TrialSettings()
        other.seed = 2
        #expect(Set(numbers(trial(other))).isDisjoint(with: first))
        #expect(
            Set(numbers(Trial(name: "another", cases: 100, settings: TrialSettings()))).isDisjoint(with: first))
    }

    @Test func trueClaimHasNoCounterexample() {
        #expect(trial().counterexamples { _ in }.isEmpty)
    }

    @Test func environmentSettingsAreParsed() throws {
        #expect(try TrialSettings([:]) == TrialSettings())
        #expect(try TrialSettings(["APOD_TOOLS_TRIALS": "5"]).cases == 5)
        for (name, value) in [("APOD_TOOLS_SEED", "x"), ("APOD_TOOLS_CASE", "-1"), ("APOD_TOOLS_TRIALS", "1.5")] {
            #expect(message { _ = try TrialSettings([name: value]) }?.hasPrefix("64 \(name)") == true)
        }
    }
}
