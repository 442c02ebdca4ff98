import Fetch
import Formats
import HTTP
import Records
import Store
import Support

extension PutTool {
    struct Outcome {
        enum Place {
            /// An entry and its cache, or no cache if the policy bypasses it.
            case entry(Entry, CacheStatus, in: CacheStore?)
            /// The record with the fields of files that an earlier run made from the picture.
            case made(Record)
        }

        let place: Place
        var isDegraded = false
    }

    /// An address and the state of its download.
    private struct Candidate {
        let address: CacheItem.Candidate
        var state = CandidateChoice.State.untried
        /// The time until which the address is not requested again.
        var restsUntil: Timestamp?
        var failure: (any Failure)?

        /// The reason why the address was not used, for a warning.
        var trouble: String? {
            if let failure { return failure.message }
            guard state == .resting, let restsUntil, let url = try? address.get().url else { return nil }
            return "\(url.redacted) failed recently and is not requested before \(restsUntil.iso8601)"
        }
    }

    /// Fetches the picture from the best address that succeeds. An address that fails transiently is requested again by
    /// a later run. If all addresses fail, throws the first transient failure, or the first failure if none is
    /// transient.
    func fetch(
        _ addresses: CacheItem.Addresses, _ expiry: Expiry?, _ record: Record, emit: @escaping (Record) -> Void
    ) throws -> Outcome {
        var candidates = addresses.map { Candidate(address: $0) }
        if candidates.isEmpty { throw NoPicture(in: record) }
        // All addresses share a user-defined key, so a picture of lower quality would overwrite a better picture.
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

    /// Marks the addresses that failed in earlier runs. Skips the last address, which is always requested because it
    /// has no alternative.
    private func lookForPostponed(_ candidates: inout [Candidate]) throws {
        for index in candidates.indices.dropLast() {
            guard let address = try? candidates[index].address.get(),
                let found = try caches.storage(for: address.text).cache?.postponement(of: try address.key)
            else { continue }
            candidates[index].state = found.isOver ? .due : .resting
            candidates[index].restsUntil = found.until
        }
    }

    /// Warns that a picture of lower quality is used, and postpones the better addresses that failed.
    private func noteDegradation(to address: CacheItem.Address, from better: ArraySlice<Candidate>) {
        for candidate in better where candidate.state == .failed(isTransient: true) {
            // Do not postpone an address that was not requested, as in an offline run.
            guard !(candidate.failure is CacheFailure), let failed = try? candidate.address.get() else { continue }
            try? caches.storage(for: failed.text).cache?.postpone(try failed.key)
        }
        guard let trouble = better.compactMap(\.trouble).first else { return }
        caches.log.warning("\(trouble); using \(address.url.redacted) instead")
    }

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
        var fetch = FetchRequest(request, key: key, expiry: expiry, inspect: inspect)
        let watcher = storage.cache.flatMap { cache in
            previews? { preview in
                var partial = record
                partial.setPartial(preview, key: key, scope: cache.scope, url: request.url.redacted)
                emit(partial)
            }
        }
        fetch.revalidatesLater = revalidatesLater && hasRoomForRevalidation
        let fetched = try storage.fetch(fetch, client: once ? client.askingOnce : client, watcher: watcher)
        if let cache = storage.cache, cache.mustRevalidateLater(fetched) {
            fetch.revalidatesLater = false
            let revalidation = Revalidation(cache: cache, fetch: fetch)
            revalidations.withLock { $0.append(revalidation) }
        }
        return Outcome(place: .entry(fetched.entry, fetched.status, in: storage.cache))
    }

    /// Returns whether a failure does not depend on the address, so that every other address would fail, too.
    private static func isLocal(_ failure: any Failure) -> Bool {
        if case .offline = failure as? CacheFailure { return false }
        return failure is SystemFailure || failure is CacheFailure || failure is OutputFailure
            || failure is UnexpectedFailure || failure is Cancelled
    }
}
