import Fetch
import Records
import Store
import Support

extension CleanStep {
    public func json(dryRun: Bool) -> JSON {
        .object([
            "step": .string(kind.rawValue), "count": .integer(count), "bytes": .integer(bytes),
            "duration_ms": .integer(Int(duration.milliseconds)), "dry_run": dryRun ? .bool(true) : nil,
        ])
    }

    /// A line for a person.
    public func text(dryRun: Bool) -> String {
        let verb = kind == .rebuild ? (dryRun ? "would be taken in" : "taken in") : (dryRun ? "would go" : "removed")
        return stepLine(kind.rawValue, "\(count) \(verb), \(ByteCount.description(bytes))", duration)
    }
}

extension VerificationEvent: Description {
    public var json: JSON {
        switch self {
        case .problem(let problem):
            .object([
                "code": .string(problem.code.rawValue), "scope": problem.scope.map(JSON.string),
                "key": problem.key.map(JSON.string),
                "path": .text(ofPath: problem.path), "path_base64": .base64(ofPath: problem.path),
                "detail": problem.detail.map(JSON.string), "repaired": .bool(problem.isRepaired),
            ])
        case .step(let step):
            .object([
                "step": .string(step.kind.rawValue), "count": .integer(step.count), "bytes": .integer(step.bytes),
                "problems": .integer(step.problems), "duration_ms": .integer(Int(step.duration.milliseconds)),
            ])
        }
    }

    /// A line for a person.
    public var text: String {
        switch self {
        case .problem(let problem):
            let subject = problem.key.map { "\($0) (\(problem.path))" } ?? problem.path
            let detail = problem.detail.map { ": \($0)" } ?? ""
            return TerminalText.escaped("\(problem.code.rawValue)  \(subject)\(detail)")
                + (problem.isRepaired ? ", repaired\n" : "\n")
        case .step(let step):
            let unit = step.kind == .sweep ? "left over" : step.kind == .rebuild ? "taken in" : "looked at"
            return stepLine(
                step.kind.rawValue,
                "\(step.count) \(unit), \(ByteCount.description(step.bytes)), \(step.problems) problems", step.duration)
        }
    }
}

/// What a removal has done, or would do.
public struct RemovalReport: Description, Equatable {
    public let removal: Removal
    /// Entries that stay since they are pinned.
    public let pinned: Int
    public let isDryRun: Bool

    public init(_ removal: Removal, pinned: Int = 0, isDryRun: Bool) {
        self.removal = removal
        self.pinned = pinned
        self.isDryRun = isDryRun
    }

    public var json: JSON {
        .object([
            "removed": .integer(removal.entries), "bytes": .integer(removal.bytes), "pinned": .integer(pinned),
            "dry_run": isDryRun ? .bool(true) : nil,
        ])
    }

    /// A line for a person.
    public var text: String {
        let files = "\(removal.entries) \(removal.entries == 1 ? "file" : "files") \(isDryRun ? "would go" : "removed")"
        let kept = pinned > 0 ? "; \(pinned) pinned stay" : ""
        return "\(files), \(ByteCount.description(removal.bytes))\(kept)\n"
    }
}

private func stepLine(_ name: String, _ words: String, _ duration: Duration) -> String {
    "\(name.padded(to: 9)) \(words), \(duration.milliseconds) ms\n"
}
