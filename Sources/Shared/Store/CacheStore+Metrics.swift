import Support

/// What the cache tells about its work.
extension CacheStore {
    /// What was done, as the field `op` of an event says it.
    package enum Step: String {
        case lookup, fetch, store, variant, remove
    }

    /// Runs one step and tells it. Where it gives nothing, nothing was there.
    package func observed(
        _ step: Step, _ key: CacheKey, url: String? = nil, _ body: () throws -> (entry: Entry, status: CacheStatus)?
    ) rethrows -> (entry: Entry, status: CacheStatus)? {
        try metrics.measure(body) { event(step, key, url: url, $0, $1) }
    }

    /// The same, for a step that gives an entry or throws.
    package func observed(
        _ step: Step, _ key: CacheKey, url: String? = nil, _ body: () throws -> (entry: Entry, status: CacheStatus)
    ) rethrows -> (entry: Entry, status: CacheStatus) {
        try metrics.measure(body) { event(step, key, url: url, $0.map { $0 }, $1) }
    }

    private func event(
        _ step: Step, _ key: CacheKey, url: String?, _ result: Result<(entry: Entry, status: CacheStatus)?, any Error>,
        _ duration: Duration
    ) -> MetricEvent {
        let found = (try? result.get()) ?? nil
        return event(
            step, key: key.text, url: url ?? found?.entry.url, bytes: found?.entry.bytes,
            status: found?.status.rawValue, duration: duration, code: MetricEvent.code(of: result))
    }

    /// An entry that was handed out or made by the way.
    func event(_ step: Step, _ entry: Entry, status: String, duration: Duration? = nil) -> MetricEvent {
        event(step, key: entry.key, url: entry.url, bytes: entry.bytes, status: status, duration: duration)
    }

    /// A picture that was removed with its variants.
    func removalEvent(key: String?, _ removal: Removal) -> MetricEvent {
        event(.remove, key: key, url: nil, bytes: removal.bytes, status: nil)
    }

    func trimEvent(_ result: Result<Removal, any Error>, _ duration: Duration) -> MetricEvent {
        let removal = try? result.get()
        return MetricEvent(
            .trim,
            [
                "entries": removal.map { .number($0.entries) }, "bytes": removal.map { .number($0.bytes) },
                "ms": .time(duration), "code": MetricEvent.code(of: result),
            ])
    }

    private func event(
        _ step: Step, key: String?, url: String?, bytes: Int?, status: String?, duration: Duration? = nil,
        code: MetricEvent.Value? = nil
    ) -> MetricEvent {
        MetricEvent(
            .cache,
            [
                "op": .text(step.rawValue), "scope": .text(scope.text), "key": key.map { .text($0) },
                "url": url.map { .text($0) }, "status": status.map { .text($0) }, "bytes": bytes.map { .number($0) },
                "ms": duration.map { .time($0) }, "code": code,
            ])
    }
}
