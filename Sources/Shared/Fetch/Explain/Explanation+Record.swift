import HTTP
import Records
import Store
import Support

extension Explanation {
    /// The explanation as members of a JSON object. Members with unknown values are omitted.
    public var json: JSON {
        .object([
            "decision": .string(decision.rawValue), "reason": .string(reason), "url": .string(url),
            "key": .string(key), "scope": .string(scope), "policy": .string(policy.rawValue),
            "rule": rule.map(JSON.string), "entry": facts.kept?.json, "failure": facts.negative?.json,
            "partial": facts.leftover?.json, "remote": facts.shared?.json, "locked": .bool(facts.isLocked),
            "addresses": facts.addresses.map { .array($0.map(\.json)) },
        ])
    }

    /// The explanation as text: the decision, then a line for each fact, without a final line feed. Text from servers
    /// is escaped.
    public var text: String {
        var lines = ["\(url): \(decision.rawValue): \(reason)", "  key       \(key)", "  scope     \(scope)"]
        lines.append("  policy    \(policy.rawValue)\(rule.map { ", rule \($0)" } ?? "")")
        if let kept = facts.kept { lines += kept.lines }
        if let negative = facts.negative {
            lines.append("  failure   \(negative.code), remembered until \(negative.until.iso8601)")
        }
        if let leftover = facts.leftover { lines.append("  partial   \(leftover.words)") }
        if let shared = facts.shared { lines.append("  remote    \(shared.words)") }
        if facts.isLocked { lines.append("  lock      held by a process that is fetching the picture") }
        if facts.addresses?.isEmpty == true { lines.append("  address   the host name has no address") }
        for judged in facts.addresses ?? [] { lines.append("  address   \(judged.address): \(judged.words)") }
        return lines.map(TerminalText.escaped).joined(separator: "\n")
    }
}

extension Explanation.Kept {
    fileprivate var json: JSON {
        // If the entry was fetched before the clock was set back, its other dates are meaningless.
        let dates = isDatedAhead ? nil : entry
        return .object([
            "state": .string((isExpired ? EntryState.expired : .fresh).rawValue), "whole": .bool(isWhole),
            "path": .text(ofPath: entry.path), "path_base64": .base64(ofPath: entry.path),
            "url": entry.url.map(JSON.string), "bytes": .integer(entry.bytes),
            "content_type": .string(entry.contentType), "age_ms": .integer(Int(age.milliseconds)),
            "fetched_at": .string(entry.fetchedAt.iso8601), "expires_at": (dates?.expiresAt.iso8601).map(JSON.string),
            "last_used": (dates?.lastUsed.iso8601).map(JSON.string),
            "lease_until": (dates?.leaseUntil.iso8601).map(JSON.string),
            "pinned": .bool(entry.isPinned), "must_revalidate": .bool(entry.directives.mustRevalidate),
            "etag": entry.validators.etag.map(JSON.string),
            "last_modified": entry.validators.lastModified.map(JSON.string),
        ])
    }

    fileprivate var lines: [String] {
        var first = "  entry     \(entry.contentType), \(ByteCount.description(entry.bytes))"
        if entry.isPinned { first += ", pinned" }
        if !isWhole { first += ", but its file is missing or has a different size" }
        var lines = [
            first, "  fetched   \(entry.fetchedAt.iso8601)\(isDatedAhead ? ", before the clock was set back" : "")",
        ]
        if !isDatedAhead {
            lines.append("  \(isExpired ? "expired" : "expires")   \(entry.expiresAt.iso8601)")
            lines.append("  lease     until \(entry.leaseUntil.iso8601)")
        }
        if let etag = entry.validators.etag { lines.append("  etag      \(etag)") }
        if let date = entry.validators.lastModified { lines.append("  modified  \(date)") }
        if entry.directives.mustRevalidate { lines.append("  server    forbids use after expiry") }
        return lines
    }
}

extension Explanation.Leftover {
    fileprivate var json: JSON {
        .object([
            "bytes": .integer(bytes), "total": total.map(JSON.integer), "validator": validator.map(JSON.string),
            "resumable": .bool(canContinue),
        ])
    }

    fileprivate var words: String {
        let all = total.map { " of \($0)" } ?? ""
        return "\(bytes)\(all) bytes, \(canContinue ? "resumable (\(validator ?? ""))" : "not resumable")"
    }
}

extension Explanation.Shared {
    fileprivate var json: JSON {
        .object([
            "status": .string(status.rawValue), "bytes": bytes.map(JSON.integer),
            "fetched_at": fetchedAt.map { .string($0.iso8601) }, "expires_at": expiresAt.map { .string($0.iso8601) },
        ])
    }

    fileprivate var words: String {
        switch status {
        case .hit: "has it, fetched at \(fetchedAt?.iso8601 ?? ""), \(ByteCount.description(bytes ?? 0))"
        case .miss: "does not have it"
        case .error: "cannot be reached"
        }
    }
}

extension NegativeAnswer {
    fileprivate var json: JSON {
        .object([
            "code": .string(code), "exit": .integer(Int(exitCode.rawValue)), "since": .string(since.iso8601),
            "until": .string(until.iso8601),
        ])
    }
}

extension JudgedAddress {
    /// `allowed`, or the class of the refused address.
    fileprivate var words: String {
        switch verdict {
        case .allowed: "allowed"
        case .refused(let kind): "refused, \(kind.phrase)"
        }
    }

    fileprivate var json: JSON {
        var kind: AddressClass?
        if case .refused(let refused) = verdict { kind = refused }
        return .object([
            "address": .string(address.description), "allowed": .bool(kind == nil),
            "class": kind.map { .string($0.rawValue) },
        ])
    }
}
