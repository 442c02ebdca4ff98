import HTTP
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Decisions that are pure functions of their arguments.
@Suite struct DecisionTests {
    private let now = Timestamp(milliseconds: 1_000_000_000_000)

    private func entry(
        age: Duration = .seconds(60), ttl: Duration = .seconds(3600), etag: String? = nil,
        used: Duration = .seconds(10), lease: Duration = .seconds(650)
    ) throws -> Entry {
        var entry = Entry(name: "n", scope: .standard)
        entry.key = "k"
        entry.bytes = 10
        (entry.fetchedAt, entry.expiresAt) = (now - age, now - age + ttl)
        (entry.lastUsed, entry.leaseUntil) = (now - used, now + lease)
        entry.validators = Validators(etag: etag)
        return entry
    }

    private func rules(offline: Bool = false, refresh: Bool = false, waited: Bool = false) -> Freshness.Rules {
        Freshness.Rules(isOffline: offline, refreshes: refresh, hasWaited: waited, askedAt: now)
    }

    @Test func absentEntryIsFetchedUnlessOffline() {
        #expect(Freshness.decide(nil, now: now, rules: rules()) == .fetch)
        #expect(Freshness.decide(nil, now: now, rules: rules(offline: true)) == .unavailable)
    }

    @Test func freshEntryIsServed() throws {
        #expect(Freshness.decide(try entry(), now: now, rules: rules()) == .serve(.hit))
    }

    @Test func expiredEntryIsRevalidatedOrFetched() throws {
        let old = Duration.seconds(3600)

        #expect(
            Freshness.decide(try entry(age: old, etag: "\"1\""), now: now, rules: rules())
                == .revalidate(Validators(etag: "\"1\"")))
        #expect(Freshness.decide(try entry(age: old), now: now, rules: rules()) == .fetch)
        #expect(Freshness.decide(try entry(age: old), now: now, rules: rules(offline: true)) == .serve(.stale))
    }

    @Test func refreshRevalidatesFreshEntriesUnlessJustFetched() throws {
        #expect(
            Freshness.decide(try entry(etag: "\"1\""), now: now, rules: rules(refresh: true))
                == .revalidate(Validators(etag: "\"1\"")))
        #expect(Freshness.decide(try entry(age: .zero), now: now, rules: rules(refresh: true)) == .serve(.hit))
    }

    @Test func entryFetchedDuringTheWaitIsServedAlthoughExpired() throws {
        // An answer with `no-cache`, which must be revalidated before each use, expires immediately.
        let atOnce = try entry(age: .zero, ttl: .zero, etag: "\"1\"")
        let earlier = try entry(age: .seconds(1), ttl: .zero, etag: "\"1\"")
        let revalidation = Freshness.revalidate(Validators(etag: "\"1\""))

        #expect(Freshness.decide(atOnce, now: now, rules: rules(waited: true)) == .serve(.hit))
        #expect(Freshness.decide(atOnce, now: now, rules: rules(refresh: true, waited: true)) == .serve(.hit))
        #expect(Freshness.decide(atOnce, now: now, rules: rules()) == revalidation)
        #expect(Freshness.decide(earlier, now: now, rules: rules(waited: true)) == revalidation)
    }

    /// Regression test: a run that had waited for another run's download was served its response, although a response
    /// with `Vary: *` may not match any other request (RFC 9111 §4.1).
    @Test func entryWithVaryStarIsRevalidatedAfterAWait() throws {
        var entry = try entry(age: .zero, etag: "\"1\"")
        entry.vary = "*"
        let decision = Freshness.decide(entry, now: now, rules: rules(waited: true))
        #expect(decision == .revalidate(Validators(etag: "\"1\"")))
    }

    @Test func entryOlderThanTheAcceptedAgeIsFetched() throws {
        func decide(_ oldest: Duration, age: Duration) throws -> Freshness {
            var rules = rules()
            rules.acceptedMaxAge = oldest
            return Freshness.decide(try entry(age: age), now: now, rules: rules)
        }
        #expect(try decide(.seconds(61), age: .seconds(60)) == .serve(.hit))
        #expect(try decide(.seconds(60), age: .seconds(60)) == .fetch)
        #expect(try decide(.zero, age: .seconds(1)) == .fetch)
        // Another process has fetched the entry since this run began.
        #expect(try decide(.zero, age: .zero) == .serve(.hit))
    }

    @Test func answerForOtherHeaderFieldsIsNeverServed() throws {
        func decide(_ etag: String?, offline: Bool = false, _ fields: [String: String]) throws -> Freshness {
            var entry = try entry(etag: etag)
            entry.vary = Vary(of: HTTPHeaders(["Vary": "Foo"]), fields: ["foo": "1"])?.text
            var rules = rules(offline: offline)
            rules.fields = fields
            #expect(Freshness.mayServeStale(entry, now: now, rules: rules) == (fields == ["foo": "1"]))
            return Freshness.decide(entry, now: now, rules: rules)
        }
        #expect(try decide(nil, ["foo": "1"]) == .serve(.hit))
        #expect(try decide(nil, ["foo": "2"]) == .fetch)
        #expect(try decide("\"1\"", ["foo": "2"]) == .revalidate(Validators(etag: "\"1\"")))
        // Several answers may share a weak ETag.
        #expect(try decide("W/\"1\"", [:]) == .fetch)
        #expect(try decide("\"1\"", offline: true, ["foo": "2"]) == .unavailable)
        #expect(try decide(nil, offline: true, ["foo": "1"]) == .serve(.hit))
    }

    @Test func answerWithVaryStarIsRevalidatedAtEachUse() throws {
        var entry = try entry(etag: "\"1\"")
        entry.vary = "*"
        #expect(Freshness.decide(entry, now: now, rules: rules()) == .revalidate(Validators(etag: "\"1\"")))
        #expect(Freshness.decide(entry, now: now, rules: rules(offline: true)) == .serve(.stale))
        #expect(Freshness.mayServeStale(entry, now: now, rules: rules()))
    }

    @Test func expiredEntryIsServedOnlyWithinStaleWhileRevalidate() throws {
        func decide(age: Int, _ change: (inout Freshness.Rules) -> Void = { _ in }) throws -> Freshness {
            var entry = try entry(age: .seconds(age), ttl: .seconds(10), etag: "\"1\"")
            entry.directives.staleWhileRevalidateUntil = entry.fetchedAt + .seconds(15)
            var rules = rules()
            (rules.respectsServer, rules.revalidatesLater) = (true, true)
            change(&rules)
            return Freshness.decide(entry, now: now, rules: rules)
        }
        let revalidation = Freshness.revalidate(Validators(etag: "\"1\""))
        #expect(try decide(age: 9) == .serve(.hit))
        #expect(try decide(age: 14) == .serve(.stale))
        #expect(try decide(age: 15) == revalidation)
        // After the clock was set back, the entry's age is unknown.
        #expect(try decide(age: -86_400) == revalidation)
        #expect(try decide(age: 14) { $0.respectsServer = false } == revalidation)
        #expect(try decide(age: 14) { $0.revalidatesLater = false } == revalidation)
        #expect(try decide(age: 14) { $0.servesStale = false } == revalidation)
        #expect(try decide(age: 14) { $0.refreshes = true } == revalidation)
        #expect(try decide(age: 14) { $0.acceptedMaxAge = .seconds(12) } == revalidation)
    }

    @Test func entryFromTheFutureHasExpired() throws {
        #expect(try entry(age: .seconds(-30)).isExpired(at: now) == false)
        #expect(try entry(age: .seconds(-86_400)).isExpired(at: now))
    }

    @Test func endOfALeaseIsRoundedUpToAStep() {
        #expect(Lease(term: .seconds(600)).end(from: now) == now + .seconds(620))
    }

    @Test func useIsWrittenIfTheLeaseIsTooShortOrTheLastUseIsAMinuteOldOrInTheFuture() throws {
        let lease = Lease(term: .seconds(600))

        #expect(!lease.mustWrite(try entry(used: .seconds(59), lease: .seconds(601)), now: now))
        #expect(lease.mustWrite(try entry(lease: .seconds(599)), now: now))
        #expect(lease.mustWrite(try entry(used: .seconds(60), lease: .seconds(3600)), now: now))
        #expect(lease.mustWrite(try entry(used: .seconds(-100)), now: now))
    }

    @Test func leaseOfZeroProtectsNothing() {
        #expect(Lease(term: .zero).end(from: now) == now)
    }

    @Test func trimmingStopsAt95PercentOfTheCapacity() {
        let sizes = [Int](repeating: 10, count: 10)

        // 1010 bytes are stored and 1000 are allowed; trimming to 950 removes six candidates of 10 bytes.
        #expect(TrimPlan.count(of: sizes, kept: 1010, capacity: 1000) == 6)
        #expect(TrimPlan.count(of: sizes, kept: 950, capacity: 1000) == 0)
        #expect(TrimPlan.count(of: sizes, kept: 5000, capacity: 1000) == 10)
    }
}
