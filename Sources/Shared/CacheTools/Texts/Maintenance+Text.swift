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

    public func text(dryRun: Bool) -> String {
        let verb = kind == .rebuild ? (dryRun ? "to recover" : "recovered") : (dryRun ? "to remove" : "removed")
        return stepLine(kind.rawValue, "\(count) \(verb), \(ByteCount.description(bytes))", duration)
    }
}

extension VerificationProblem {
    fileprivate var json: JSON {
        .object([
            "code": .string(code.rawValue), "scope": scope.map(JSON.string), "key": key.map(JSON.string),
            "path": .text(ofPath: path), "path_base64": .base64(ofPath: path), "detail": detail.map(JSON.string),
            "repaired": .bool(isRepaired),
        ])
    }

    public var text: String {
        let subject = key.map { "\($0) (\(path))" } ?? path
        let detail = detail.map { ": \($0)" } ?? ""
        return TerminalText.escaped("\(code.rawValue)  \(subject)\(detail)") + (isRepaired ? ", repaired\n" : "\n")
    }
}

extension VerificationStep {
    /// Returns the step and its problems.
    public func json(_ found: [VerificationProblem]) -> JSON {
        .object([
            "step": .string(kind.rawValue), "count": .integer(count), "bytes": .integer(bytes),
            "problems": .array(found.map(\.json)), "duration_ms": .integer(Int(duration.milliseconds)),
        ])
    }

    public var text: String {
        let unit = kind == .sweep ? "left over" : kind == .rebuild ? "recovered" : "checked"
        return stepLine(
            kind.rawValue,
            "\(count) \(unit), \(ByteCount.description(bytes)), \(counted(problems, "problem"))",
            duration)
    }
}

/// The result of a removal, or of its dry run.
public struct RemovalReport: Description, Equatable {
    public let removal: EntrySum
    /// The number of entries that stay because they are pinned.
    public let pinned: Int
    public let isDryRun: Bool

    public init(_ removal: EntrySum, pinned: Int = 0, isDryRun: Bool) {
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

    public var text: String {
        let files =
            "\(counted(removal.entries, "file")) \(isDryRun ? "to remove" : "removed")"
        let kept = pinned > 0 ? "; \(pinned) pinned and kept" : ""
        return "\(files), \(ByteCount.description(removal.bytes))\(kept)\n"
    }
}

private func stepLine(_ name: String, _ words: String, _ duration: Duration) -> String {
    "\(name.padded(to: 9)) \(words), \(duration.milliseconds) ms\n"
}
