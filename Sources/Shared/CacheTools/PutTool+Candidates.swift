import Fetch
import Formats
import HTTP
import Records
import Store
import Support

/// The addresses of one picture, asked until one has it.
extension PutTool {
    /// What was put.
    struct Outcome {
        enum Place {
            /// An entry, with its cache if it has one.
            case entry(Entry, CacheStatus, in: CacheStore?)
            /// The record with the files that an earlier run made of the picture.
            case made(Record)
        }

        let place: Place
        /// Whether a better picture may be had later.
        var isDegraded = false
    }

    /// An address and the state of its download.
    private struct Candidate {
        let address: CacheItem.Candidate
        var state = CandidateChoice.State.untried
        /// Until when it is left in peace.
        var restsUntil: Timestamp?
        var failure: (any Failure)?

        /// Why it is not the one that serves, for a warning.
        var trouble: String? {
            if let failure { return failure.message }
            guard state == .resting, let restsUntil, let url = try? address.get().url else { return nil }
            return "\(url.redacted) failed lately, and is asked again from \(restsUntil.iso8601) on"
        }
    }

    /// Fetches the first address that has a picture. One that cannot be had gives way to the next, and is asked again
    /// later if it may work then. Throws why none has: the first failure that may pass, else the first.
    func fetch(
        _ addresses: CacheItem.Addresses, _ expiry: Expiry?, _ record: Record, emit: @escaping (Record) -> Void
    ) throws -> Outcome {
        var candidates = addresses.map { Candidate(address: $0) }
        if candidates.isEmpty { throw NoPicture(in: record) }
        // Under a key of the user's own, the worse picture would take the place of the better one.
        let degrades = try degrades && rules.ownKey(record) == nil
        if degrades { try lookForPostponed(&candidates) }
        while true {
            switch CandidateChoice.next(candidates.map(\.state), degrades: degrades) {
            case .fail(let index): throw candidates[index].failure ?? NoPicture(in: record)
            case .ask(let index, let once):
                do {
                    let address = try candidates[index].address.get()
                    let key = try rules.key(address, record: record)
                    var outcome = try NamedFailure.naming(address.url.redacted) {
                        try fetch(address, key: key, expiry, record, once: once, emit: emit)
                    }
                    outcome.isDegraded = CandidateChoice.isDegraded(index, candidates.map(\.state))
                    if outcome.isDegraded { noteDegradation(to: address, from: candidates[..<index]) }
                    return outcome
                } catch {
                    let failure = failure(of: error)
                    if Self.isLocal(failure) { throw failure }
                    candidates[index].failure = failure
                    candidates[index].state = .failed(isTransient: failure.isTransient)
                }
            }
        }
    }

    /// Finds out which addresses failed for a time. The last one has nothing to give way to.
    private func lookForPostponed(_ candidates: inout [Candidate]) throws {
        for index in candidates.indices.dropLast() {
            guard let address = try? candidates[index].address.get(),
                let found = try caches.storage(for: address.text).cache?.postponement(of: try address.key)
            else { continue }
            candidates[index].state = found.isOver ? .due : .resting
            candidates[index].restsUntil = found.until
        }
    }

    /// Says that a worse picture is used, and remembers which addresses to leave in peace.
    private func noteDegradation(to address: CacheItem.Address, from better: ArraySlice<Candidate>) {
        for candidate in better where candidate.state == .failed(isTransient: true) {
            // Nobody was asked in an offline run.
            guard !(candidate.failure is CacheFailure), let failed = try? candidate.address.get() else { continue }
            try? caches.storage(for: failed.text).cache?.postpone(try failed.key)
        }
        guard let trouble = better.compactMap(\.trouble).first else { return }
        caches.log.warning("\(trouble); \(address.url.redacted) is used until then")
    }

    /// Fetches one address to where its policy says.
    private func fetch(
        _ address: CacheItem.Address, key: CacheKey, _ expiry: Expiry?, _ record: Record, once: Bool,
        emit: @escaping (Record) -> Void
    ) throws -> Outcome {
        let request = request(address.url)
        let storage = try caches.storage(for: address.text)
        if let cache = storage.cache,
            let kept = try copies?.kept(record, key, in: cache) ?? made?.kept(record, key, in: cache)
        {
            return Outcome(place: .made(kept))
        }
        if let pacing, try storage.cache?.wouldAsk(request, key: key, expiry: expiry) ?? true { try pacing.take() }
        let watcher = storage.cache.flatMap { cache in
            previews? { preview in
                var partial = record
                partial.setPartial(preview, key: key, scope: cache.scope, url: request.url.redacted)
                emit(partial)
            }
        }
        let fetched = try storage.fetch(
            request, key: key, client: once ? client.askingOnce : client, inspect: inspect, expiry: expiry,
            watcher: watcher, revalidatesLater: revalidatesLater && hasRoomForRevalidation)
        if let cache = storage.cache, cache.mustRevalidateLater(fetched) {
            let revalidation = Revalidation(cache: cache, request: request, key: key, expiry: expiry)
            revalidations.withLock { $0.append(revalidation) }
        }
        return Outcome(place: .entry(fetched.entry, fetched.status, in: storage.cache))
    }

    /// Whether a failure has nothing to do with the address, so that another one would meet it too.
    private static func isLocal(_ failure: any Failure) -> Bool {
        if case .offline = failure as? CacheFailure { return false }
        return failure is SystemFailure || failure is CacheFailure || failure is OutputFailure
            || failure is UnexpectedFailure
            || failure is Cancelled
    }
}
