import Support

/// Says on standard error what went wrong with records. What goes wrong with one after the other in the same words, as
/// with each record of a long run while the network is down, is said once, and then how often.
final class FailureLines: Sendable {
    private struct Said {
        var message: String?
        var repetitions = 0
    }

    private let log: Log
    private let said = Monitor(Said())

    init(log: Log) { self.log = log }

    func say(_ message: String) {
        said.withLock { said in
            if said.message == message {
                said.repetitions += 1
                return
            }
            tell(of: said)
            said = Said(message: message)
            log.error(message)
        }
    }

    /// Says how often the last one came again; to be called at the end of a run.
    func end() {
        said.withLock { said in
            tell(of: said)
            said = Said()
        }
    }

    private func tell(of said: Said) {
        guard said.repetitions > 0 else { return }
        log.error("(\(said.repetitions) more like this)")
    }
}
