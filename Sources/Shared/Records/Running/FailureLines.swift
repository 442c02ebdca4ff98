import Support

/// Reports failed records on standard error. Of consecutive failures with the same code, as in a network outage,
/// reports the first in full, then the number and subjects of the others. Detailed logging shows each in full.
public final class FailureLines: Sendable {
    private struct Last {
        var code: String?
        /// Whether the failure suggests a correction. Failures with and without suggestions are reported separately.
        var suggests = false
        /// The subjects of the first few repetitions.
        var names: [String] = []
        /// The earliest and the latest day among the subjects.
        var days: (first: String, last: String)?
        var kinds: Set<FailureSubject.Kind?> = []
        var repetitions = 0

        mutating func add(_ subject: FailureSubject?) {
            repetitions += 1
            kinds.insert(subject?.kind)
            guard let subject else { return }
            if names.count < FailureLines.namesShown { names.append(subject.text) }
            if subject.kind == .date {
                // ISO 8601 dates sort as text.
                days = (min(days?.first ?? subject.text, subject.text), max(days?.last ?? subject.text, subject.text))
            }
        }

        /// For example `364 more days, 2024-01-02 to 2024-12-31`.
        var words: String {
            let total =
                switch kinds {
                case [.date]: counted(repetitions, "more day")
                case [.line]: counted(repetitions, "more line")
                default: "\(repetitions) more like this"
                }
            let which =
                if kinds == [.date], let days, repetitions > FailureLines.namesShown {
                    "\(days.first) to \(days.last)"
                } else {
                    names.joined(separator: ", ") + (repetitions > names.count && !names.isEmpty ? ", …" : "")
                }
            return total + (which.isEmpty ? "" : ", \(which)")
        }
    }

    private static let namesShown = 3

    private let log: Log
    private let last = Monitor(Last())

    public init(log: Log) { self.log = log }

    /// - Parameter output: the file that could not be written.
    public func report(_ failure: any Failure, about job: RecordJob, output: String? = nil) {
        let subjects = FailureSubject.all(of: job)
        // Do not put the subject before a message that already names it.
        let names = subjects + (output.map { [FailureSubject(.name, $0)] } ?? [])
        let isNamed = names.contains { $0.isNamed(in: failure.message) }
        // Input that is not a record has only its line as a subject.
        let subject = subjects.first ?? (failure as? LineFailure).map { FailureSubject(.line, String($0.line)) }
        let message = isNamed ? failure.message : (subjects.first.map { "\($0.words): " } ?? "") + failure.message
        last.withLock { last in
            if last.code == failure.code, last.suggests == failure.suggests {
                last.add(subject)
                log.detail(message)
                return
            }
            reportRepetitions(of: last)
            last = Last(code: failure.code, suggests: failure.suggests)
            log.error(
                message,
                facts: [
                    "code": .text(failure.code), subject?.kind.rawValue ?? "": subject?.fact,
                    "output": output.map { .text($0) },
                ])
        }
    }

    /// Reports the remaining repetitions at the end of a run.
    func end() {
        last.withLock { last in
            reportRepetitions(of: last)
            last = Last()
        }
    }

    private func reportRepetitions(of last: Last) {
        guard last.repetitions > 0, let code = last.code else { return }
        log.error(
            "(and \(last.words): \(code))",
            facts: [
                "code": .text(code), "count": .integer(last.repetitions),
                "first_date": last.days.map { .text($0.first) }, "last_date": last.days.map { .text($0.last) },
            ])
    }
}
