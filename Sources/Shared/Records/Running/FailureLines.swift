import Support

/// Says on standard error what went wrong with records, and with which. Of failures with one code in a row, as of each
/// record of a long run while the network is down, the first is said in full, and then how many followed.
///
/// With details wanted, each is said in full as well.
public final class FailureLines: Sendable {
    private struct Said {
        var code: String?
        /// A suggestion is never folded into failures without one.
        var suggests = false
        /// What further failures with that code were about, as far as it is known: the first few.
        var names: [String] = []
        /// The earliest and the latest day, if all of them were about days.
        var days: (first: String, last: String)?
        var kinds: Set<FailureSubject.Kind?> = []
        var repetitions = 0

        mutating func add(_ subject: FailureSubject?) {
            repetitions += 1
            kinds.insert(subject?.kind)
            guard let subject else { return }
            if names.count < FailureLines.namesShown { names.append(subject.text) }
            if subject.kind == .date {
                // ISO 8601 sorts as text.
                days = (min(days?.first ?? subject.text, subject.text), max(days?.last ?? subject.text, subject.text))
            }
        }

        /// `364 more days, 2024-01-02 to 2024-12-31`.
        var words: String {
            let unit =
                switch kinds {
                case [.date]: repetitions == 1 ? "more day" : "more days"
                case [.line]: repetitions == 1 ? "more line" : "more lines"
                default: "more like this"
                }
            let which =
                if kinds == [.date], let days, repetitions > FailureLines.namesShown {
                    "\(days.first) to \(days.last)"
                } else {
                    names.joined(separator: ", ") + (repetitions > names.count && !names.isEmpty ? ", …" : "")
                }
            return "\(repetitions) \(unit)" + (which.isEmpty ? "" : ", \(which)")
        }
    }

    private static let namesShown = 3

    private let log: Log
    private let said = Monitor(Said())

    public init(log: Log) { self.log = log }

    /// - Parameter output: the file that was not written, if the failure is about one.
    public func say(_ failure: any Failure, about job: RecordJob, output: String? = nil) {
        let subjects = FailureSubject.all(of: job)
        // A message never says the same fact twice.
        let names = subjects + (output.map { [FailureSubject(.name, $0)] } ?? [])
        let isNamed = names.contains { $0.isNamed(in: failure.message) }
        // A failure of a line says so itself.
        let subject = subjects.first ?? (failure as? LineFailure).map { FailureSubject(.line, String($0.line)) }
        let message = isNamed ? failure.message : (subjects.first.map { "\($0.words): " } ?? "") + failure.message
        said.withLock { said in
            if said.code == failure.code, said.suggests == failure.suggests {
                said.add(subject)
                log.detail(message)
                return
            }
            tell(of: said)
            said = Said(code: failure.code, suggests: failure.suggests)
            log.error(
                message,
                facts: [
                    "code": .text(failure.code), subject?.kind.rawValue ?? "": subject?.fact,
                    "output": output.map { .text($0) },
                ])
        }
    }

    /// Says how many followed the last one; to be called at the end of a run.
    func end() {
        said.withLock { said in
            tell(of: said)
            said = Said()
        }
    }

    private func tell(of said: Said) {
        guard said.repetitions > 0, let code = said.code else { return }
        log.error(
            "(and \(said.words): \(code))",
            facts: [
                "code": .text(code), "count": .integer(said.repetitions),
                "first_date": said.days.map { .text($0.first) },
                "last_date": said.days.map { .text($0.last) },
            ])
    }
}
