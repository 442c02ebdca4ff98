import HTTP
import Support
import Testing

@testable import Fetch
@testable import Store

/// The words of `explain`, from facts without a cache.
@Suite struct ExplanationTextTests {
    private let now = Timestamp(milliseconds: 1_000_000)
    private let later = Timestamp(milliseconds: 2_000_000)

    /// The facts about an entry that was fetched at the start of 1970 and has expired unless it is fresh.
    private func facts(
        isFresh: Bool = false, isWhole: Bool = true, _ change: (inout Entry) -> Void = { _ in },
        more: (inout Explanation.Facts) -> Void = { _ in }
    ) -> Explanation.Facts {
        var entry = Entry(name: "n", scope: .standard)
        entry.bytes = 10
        entry.contentType = "image/gif"
        entry.expiresAt = isFresh ? later : Timestamp(milliseconds: 60_000)
        change(&entry)
        var facts = Explanation.Facts()
        facts.kept = Explanation.Kept(
            entry: entry, isExpired: !isFresh, isDatedAhead: false, isWhole: isWhole, age: now - entry.fetchedAt)
        more(&facts)
        return facts
    }

    private func factsWithoutEntry(_ more: (inout Explanation.Facts) -> Void = { _ in }) -> Explanation.Facts {
        var facts = Explanation.Facts()
        more(&facts)
        return facts
    }

    private func reason(
        _ facts: Explanation.Facts, _ change: (inout Freshness.Rules) -> Void = { _ in }
    ) -> String {
        var rules = Freshness.Rules(askedAt: now)
        change(&rules)
        let (decision, reason) = facts.decide(now: now, rules: rules)
        return "\(decision.rawValue): \(reason)"
    }

    @Test func everyDecisionHasAReason() {
        let expired = "it expired at 1970-01-01T00:01:00Z"
        let unlike: (inout Entry) -> Void = { $0.vary = "accept-language 0123456789abcdef" }
        let etag: (inout Entry) -> Void = { $0.validators = Validators(etag: "\"1\"") }
        let leftover = Explanation.Leftover(bytes: 5, total: 9, validator: "\"1\"", canContinue: true)
        let offline: (inout Freshness.Rules) -> Void = { $0.isOffline = true }
        let rows: [(String, String)] = [
            (reason(facts(isFresh: true)), "hit: it is fresh until 1970-01-01T00:33:20Z"),
            (reason(facts(), offline), "stale: \(expired), and the run is offline"),
            (
                reason(facts { $0.directives.staleWhileRevalidateUntil = later }) {
                    $0.respectsServer = true
                    $0.revalidatesLater = true
                }, "stale: \(expired), and its server allows use during revalidation"
            ),
            (reason(factsWithoutEntry(), offline), "offline-miss: there is no entry with this key"),
            (
                reason(facts(unlike), offline),
                "offline-miss: it was fetched with other request headers (Vary)"
            ),
            (
                reason(facts()) {
                    $0.isOffline = true
                    $0.servesStale = false
                }, "offline-miss: it has expired and must be revalidated before use"
            ),
            (reason(factsWithoutEntry { $0.refusal = "R" }), "refused: R"),
            (
                reason(
                    factsWithoutEntry {
                        $0.shared = Explanation.Shared(status: .hit, fetchedAt: now, expiresAt: later, bytes: 10)
                    }), "remote: the remote has it, fresh until 1970-01-01T00:33:20Z"
            ),
            (reason(facts()), "fetch: \(expired), and it has no validators"),
            (reason(facts(etag)), "revalidate: \(expired), and it has validators"),
            (
                reason(facts(etag) { $0.isOfAnotherAddress = true }),
                "fetch: \(expired), and it came from another address"
            ),
            (
                reason(factsWithoutEntry { $0.leftover = leftover }),
                "fetch: there is no entry with this key; resuming an earlier download after 5 bytes"
            ),
            (
                reason(facts(isFresh: true, etag)) { $0.refreshes = true },
                "revalidate: a refresh was requested, and it has validators"
            ),
            (
                reason(facts(unlike)),
                "fetch: it was fetched with other request headers (Vary), and it has no validators"
            ),
            (
                reason(facts { $0.vary = "*" }),
                "fetch: its response depends on more than the request (Vary: *), and it has no validators"
            ),
            (reason(factsWithoutEntry { $0.isEphemeral = true }), "fetch: its policy is disabled, so it is not stored"),
            (reason(facts(isWhole: false)), "fetch: its file is missing or has a different size"),
            (
                reason(factsWithoutEntry { $0.restsUntil = later }),
                "fetch: it failed recently, and other addresses are preferred until 1970-01-01T00:33:20Z"
            ),
        ]
        for (found, expected) in rows { #expect(found == expected) }
    }

    private func text(_ facts: Explanation.Facts) -> [String] {
        let explanation = Explanation(
            url: "https://h/a", key: "k", scope: "s", policy: .enabled, rule: "*.h", decision: .fetch, reason: "R",
            facts: facts)
        return explanation.text.split(separator: "\n").map(String.init)
    }

    @Test func textHasALineForEachFact() {
        let kept = facts(isWhole: false) {
            $0.isPinned = true
            $0.validators = Validators(etag: "\"1\"", lastModified: "Thu, 01 Jan 1970 00:00:00 GMT")
            $0.directives.mustRevalidate = true
        } more: {
            $0.negative = NegativeAnswer(
                code: "gone", exitCode: .unavailable, text: "T", since: now, until: later)
            $0.leftover = Explanation.Leftover(bytes: 5, total: 9, validator: "\"1\"", canContinue: true)
            $0.shared = Explanation.Shared(status: .hit, fetchedAt: now, expiresAt: later, bytes: 10)
            $0.isLocked = true
            $0.addresses = []
        }
        #expect(
            text(kept) == [
                "https://h/a: fetch: R", "  key       k", "  scope     s", "  policy    enabled, rule *.h",
                "  entry     image/gif, 10 B, pinned, but its file is missing or has a different size",
                "  fetched   1970-01-01T00:00:00Z", "  expired   1970-01-01T00:01:00Z",
                "  lease     until 1970-01-01T00:00:00Z", "  etag      \"1\"",
                "  modified  Thu, 01 Jan 1970 00:00:00 GMT", "  server    forbids use after expiry",
                "  failure   gone, remembered until 1970-01-01T00:33:20Z",
                "  partial   5 of 9 bytes, resumable (\"1\")",
                "  remote    has it, fetched at 1970-01-01T00:16:40Z, 10 B",
                "  lock      held by a process that is fetching the picture",
                "  address   the host name has no address",
            ])
        let others = factsWithoutEntry {
            $0.leftover = Explanation.Leftover(bytes: 5, total: nil, validator: nil, canContinue: false)
            $0.shared = Explanation.Shared(status: .miss)
        }
        #expect(
            text(others).suffix(2) == ["  partial   5 bytes, not resumable", "  remote    does not have it"])
        #expect(text(factsWithoutEntry { $0.shared = .init(status: .error) }).last == "  remote    cannot be reached")
    }
}
