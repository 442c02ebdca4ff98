import Fetch
import HTTP
import Records
import Store
import Support

/// The plan of `put` for a record's picture, which `img-cache explain` prints.
public struct ExplainedPicture: Description {
    /// The explanation of an address, or the reason for refusing it.
    private typealias Candidate = Result<Explanation, WebURLFailure>

    private let candidates: [Candidate]
    private let chosen: Int

    /// Reads the cache and resolves host names. Throws `UsageFailure` for a file, `NoPicture`, and `CacheFailure` if
    /// the cache cannot be read.
    public init(
        of job: RecordJob, _ explainer: Explainer, rules: CacheItem.Rules, request: (WebURL) -> HTTPRequest
    ) throws {
        let addresses = try suggestingAddress(for: job.argument) {
            guard case .addresses(let addresses) = try rules.item(of: job) else {
                throw UsageFailure(
                    "\(job.argument ?? "") is a file, which put always stores; explain accepts only addresses")
            }
            return addresses
        }
        let expiry = try rules.expiry(job.record)
        candidates = try addresses.map { candidate in
            switch candidate {
            case .address(let address):
                let key = try rules.key(address, record: job.record)
                return .success(try explainer.explain(request(address.url), key: key, expiry: expiry))
            case .refused(let failure): return .failure(failure)
            }
        }
        if candidates.isEmpty { throw NoPicture(in: job.record) }
        chosen = try Self.chosen(candidates, degrades: rules.ownKey(job.record) == nil)
    }

    /// Returns the index of the address that `put` would probably use, or 0 if every address is refused or failed
    /// recently.
    ///
    /// - Parameter degrades: whether to prefer an address of lower quality to an address that failed recently.
    private static func chosen(_ candidates: [Candidate], degrades: Bool) -> Int {
        func first(but passedOver: [Explanation.Decision]) -> Int? {
            candidates.firstIndex {
                !passedOver.contains($0.decision) && !(degrades && (try? $0.get().facts.restsUntil) != nil)
            }
        }
        return first(but: [.refused, .rememberedFailure, .offlineMiss])
            ?? candidates.firstIndex { ![.refused, .rememberedFailure].contains($0.decision) } ?? 0
    }

    /// The explanation of the chosen address. If there are several addresses, `candidates` has a short version of each.
    public var json: JSON {
        guard case .success(let explanation) = candidates[chosen], case .object(let members) = explanation.json else {
            return candidates[chosen].short
        }
        if candidates.count == 1 { return .object(members) }
        return .object(members + [JSON.Member("candidates", .array(candidates.map(\.short)))])
    }

    public var text: String {
        var lines = [(try? candidates[chosen].get().text) ?? candidates[chosen].line]
        for index in candidates.indices where index != chosen { lines.append("  otherwise \(candidates[index].line)") }
        return lines.joined(separator: "\n")
    }
}

extension Result where Success == Explanation, Failure == WebURLFailure {
    fileprivate var decision: Explanation.Decision { (try? get().decision) ?? .refused }

    fileprivate var line: String {
        switch self {
        case .success(let explanation):
            TerminalText.escaped("\(explanation.url): \(explanation.decision.rawValue): \(explanation.reason)")
        case .failure(let failure): TerminalText.escaped("refused: \(failure.message)")
        }
    }

    fileprivate var short: JSON {
        switch self {
        case .success(let explanation):
            .object([
                "url": .string(explanation.url), "key": .string(explanation.key),
                "decision": .string(explanation.decision.rawValue), "reason": .string(explanation.reason),
            ])
        case .failure(let failure):
            .object(["decision": .string(decision.rawValue), "reason": .string(failure.message)])
        }
    }
}
