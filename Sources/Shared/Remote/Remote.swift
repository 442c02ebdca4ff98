import HTTP
import Store
import Support

/// A storage that many machines share, as a tier behind their caches.
///
/// Whatever fails is reported and counted, and the run goes on without it: after `Circuit.limit` failures in a row for
/// the rest of the run, reading and writing each by itself.
public final class Remote: RemoteTier {
    private struct State {
        var reading = Circuit()
        var writing = Circuit()
        /// Digests whose bytes turned out to be damaged.
        var damaged: Set<String> = []
    }

    let settings: RemoteSettings
    let storage: any RemoteStorage
    private let log: Log
    private let metrics: Metrics
    let interruption: Interruption
    private let state = Monitor(State())
    private let queue: Monitor<OfferQueue?> = Monitor(nil)

    /// Opens and loads nothing.
    ///
    /// - Parameter environment: may name a proxy for `http` and `https` addresses.
    public convenience init(
        _ settings: RemoteSettings, environment: Environment, log: Log = .silent, metrics: Metrics = .silent,
        interruption: Interruption
    ) {
        let storage: any RemoteStorage =
            switch settings.address {
            case .http(let url):
                HTTPStorage(url, settings: settings, environment: environment, log: log, interruption: interruption)
            case .redis(let address):
                RedisStorage(
                    RedisServer(address, timeouts: settings.timeouts, interruption: interruption), log: log)
            case .folder(let path): FolderStorage(path: path)
            }
        self.init(settings, storage: storage, log: log, metrics: metrics, interruption: interruption)
    }

    init(
        _ settings: RemoteSettings, storage: any RemoteStorage, log: Log = .silent, metrics: Metrics = .silent,
        interruption: Interruption
    ) {
        self.settings = settings
        self.storage = storage
        self.log = log
        self.metrics = metrics
        self.interruption = interruption
    }

    public func reads(_ scope: ScopeName) -> Bool { settings.mode != .write && settings.scopes.contains(scope) }

    public func writes(_ scope: ScopeName) -> Bool { settings.mode != .read && settings.scopes.contains(scope) }

    // MARK: Reading

    public func document(of name: RemoteName) throws -> RemoteAnswer<RemoteDocument> {
        try asking(.document(name)) { count in
            let sink = MemorySink()
            let isThere = try storage.read(
                .document(name), byteLimit: RemoteDocument.byteLimit, receive: { try sink.write($0) })
            count = sink.bytes.count
            guard isThere else { return nil }
            guard let document = try RemoteDocument(sink.bytes, named: name, key: settings.key) else {
                log.detail("\(settings.address): \(name.digest) is not signed with this key, and not used")
                return nil
            }
            return document
        }
    }

    public func content(
        of document: RemoteDocument, receive: (RawSpan) throws -> Void
    ) throws -> RemoteAnswer<Void> {
        try content(of: document, byteLimit: settings.byteLimit, receive: receive)
    }

    /// The same with a limit of its own: what has more bytes counts as absent.
    func content(
        of document: RemoteDocument, byteLimit: Int, receive: (RawSpan) throws -> Void
    ) throws -> RemoteAnswer<Void> {
        switch document.content {
        case .inline(let bytes):
            try receive(bytes.span.bytes)
            return .found(())
        case .bytes(let sha256, let count):
            guard count <= byteLimit else {
                log.detail(
                    "the remote \(settings.address) has \(count) bytes, more than are allowed; they are not read")
                return .absent
            }
            return try asking(.content(sha256)) { received in
                let isThere = try storage.read(.content(sha256), byteLimit: count) { bytes in
                    received += bytes.count
                    do { try receive(bytes.bytes) } catch { throw ReceiverFailed(error: error) }
                }
                guard isThere else { return nil }
                guard received == count else {
                    note(damaged: sha256)
                    throw RemoteFailure.damaged("\(received) of \(count) bytes came")
                }
                return ()
            }
        }
    }

    /// An error that the receiver threw, on its way past the remote's own.
    private struct ReceiverFailed: Error {
        let error: any Error
    }

    /// Runs a request unless too many have failed, and reports its outcome.
    ///
    /// - Parameter body: counts the bytes that come; returns nil if there is no such thing.
    private func asking<Value>(
        _ object: RemoteObject, _ body: (_ count: inout Int) throws -> Value?
    ) throws -> RemoteAnswer<Value> {
        if state.withLock({ $0.reading.isOpen }) { return .notAsked }
        var count = 0
        let begun = SteadyTime.now()
        func tell(_ status: String, _ failure: (any Failure)? = nil) {
            metrics.add(metric("get", object, status, count, SteadyTime.now() - begun, failure))
        }
        do {
            let value = try body(&count)
            state.withLock { $0.reading.noteSuccess() }
            tell(value == nil ? "miss" : "hit")
            return value.map { .found($0) } ?? .absent
        } catch let stop as ReceiverFailed {
            throw stop.error
        } catch {
            try interruption.check()
            let failure = Support.failure(of: error)
            tell("error", failure)
            note(failure, .reading)
            if case .damaged? = failure as? RemoteFailure { return .damaged }
            return .failed
        }
    }

    public func reportDamage(of document: RemoteDocument, _ reason: String) {
        if let sha256 = document.sha256 { note(damaged: sha256) }
        note(RemoteFailure.damaged("\(document.name.digest): \(reason)"), .reading)
    }

    private func note(damaged sha256: String) { state.withLock { _ = $0.damaged.insert(sha256) } }

    /// What a failure is counted for.
    private enum Direction {
        case reading, writing

        var circuit: WritableKeyPath<State, Circuit> {
            switch self {
            case .reading: \.reading
            case .writing: \.writing
            }
        }

        /// What does not happen any more after too many failures.
        var end: String {
            switch self {
            case .reading: "nothing more is read from it in this run"
            case .writing: "nothing more is handed over to it in this run"
            }
        }
    }

    /// Counts a failure, and warns if it is the one too many, or if something is damaged.
    private func note(_ failure: any Failure, _ direction: Direction) {
        let reason = failure as? RemoteFailure
        let hasOpened = state.withLock { $0[keyPath: direction.circuit].noteFailure(isFinal: reason?.isFinal ?? false) }
        let words = "the remote \(settings.address): \(failure.message)"
        if hasOpened {
            log.warning("\(words); \(direction.end)")
        } else if case .damaged? = reason {
            log.warning("\(words); it is not used")
        } else {
            log.detail("\(words); this run goes on without it")
        }
    }

    private func metric(
        _ operation: String, _ object: RemoteObject, _ status: String, _ bytes: Int, _ duration: Duration,
        _ failure: (any Failure)?
    ) -> MetricEvent {
        MetricEvent(
            .remote,
            [
                "op": .text(operation), "object": .text(object.path), "status": .text(status), "bytes": .number(bytes),
                "ms": .time(duration), "code": failure.map { .text($0.code) },
            ])
    }

    public func claim(_ name: RemoteName, check: () throws -> Void) throws -> (any RemoteClaim)? {
        if state.withLock({ $0.reading.isOpen || $0.writing.isOpen }) { return nil }
        do {
            return try storage.claim(name) {
                do { try check() } catch { throw ReceiverFailed(error: error) }
            }
        } catch let stop as ReceiverFailed {
            throw stop.error
        } catch {
            try interruption.check()
            note(failure(of: error), .writing)
            return nil
        }
    }

    // MARK: Writing

    public func offer(_ offer: RemoteOffer) {
        if state.withLock({ $0.writing.isOpen }) {
            // Nobody is to be woken for it.
            offer.claim?.release()
            return offer.done(.notAsked)
        }
        let queue = queue.withLock { queue in
            let made = queue ?? OfferQueue { [self] in push($0, check: $1) }
            queue = made
            return made
        }
        if !queue.add(offer) {
            offer.claim?.release()
            offer.done(.notAsked)
        }
    }

    private func push(_ offer: RemoteOffer, check: @escaping @Sendable () throws -> Void) {
        defer { offer.claim?.release() }
        if state.withLock({ $0.writing.isOpen }) { return offer.done(.notAsked) }
        let document = offer.document
        let object = document.sha256.map(RemoteObject.content) ?? .document(document.name)
        let begun = SteadyTime.now()
        func tell(_ status: String, _ bytes: Int, _ failure: (any Failure)? = nil) {
            metrics.add(metric("put", object, status, bytes, SteadyTime.now() - begun, failure))
        }
        do {
            let sent = try handOver(offer, check: check)
            state.withLock { $0.writing.noteSuccess() }
            tell(sent == nil ? "gone" : "stored", sent ?? 0)
            offer.done(sent.map { .found($0) } ?? .absent)
        } catch {
            let failure = Support.failure(of: error)
            tell("error", 0, failure)
            if failure is Cancelled || (failure as? RemoteFailure)?.code == RemoteFailure.givenUp.code {
                return offer.done(.notAsked)
            }
            note(failure, .writing)
            offer.done(.failed)
        }
    }

    /// Stores the bytes, unless they are there, and then the document that names them. Returns how many bytes were sent;
    /// nil if the file has gone meanwhile.
    func handOver(_ offer: RemoteOffer, check: @escaping @Sendable () throws -> Void) throws -> Int? {
        let document = offer.document
        let lifetime = document.expiresAt.map { $0 - .now() }
        var sent = 0
        if case .bytes(let sha256, let count) = document.content, let open = offer.open {
            let object = RemoteObject.content(sha256)
            let isDamaged = state.withLock { $0.damaged.contains(sha256) }
            if try isDamaged || storage.size(of: object) != count {
                guard let file = try? open(), file.count == count else { return nil }
                try storage.write(RequestBody(file), to: object, lifetime: lifetime, under: nil, check: check)
                state.withLock { _ = $0.damaged.remove(sha256) }
                sent = count
            } else {
                try storage.prolong(object, lifetime: lifetime)
            }
        }
        try check()
        try storage.write(
            RequestBody(document.encoded(key: settings.key)), to: .document(document.name), lifetime: lifetime,
            under: offer.claim, check: check)
        return sent
    }

    /// Waits at most `RemoteSettings.wait` until everything is handed over.
    public func close() {
        if let queue = queue.withLock({ $0 }) {
            let rest = queue.close(atMost: settings.wait) { [interruption] in interruption.cause != nil }
            if rest > 0, interruption.cause == nil, !state.withLock({ $0.writing.isOpen }) {
                log.warning(
                    "the remote \(settings.address): \(rest) \(rest == 1 ? "thing was" : "things were") not "
                        + "handed over in time; raise --remote-wait, or run img-cache sync --push")
            }
        }
        storage.close()
    }
}
