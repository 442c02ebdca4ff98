import HTTP
import Store
import Support

/// A storage that many machines share as a tier behind their caches.
///
/// Every storage call is a `RemoteOperation` with limits set here. A failure is logged and counted, and the run
/// continues without the remote. After `CircuitBreaker.limit` consecutive failures, the run stops reading or writing.
/// The run also stops reading once its records have waited in vain for `Timeouts.patience` in total.
public final class Remote: RemoteTier {
    struct State {
        var reading = CircuitBreaker()
        var writing = CircuitBreaker()
        /// The time that records have waited in vain for the storage.
        var lost = LostTime()
        /// The time that records have waited for other machines.
        var claims = LostTime()
        var damaged: Set<String> = []
    }

    let settings: RemoteSettings
    let storage: any RemoteStorage
    let log: Log
    let metrics: Metrics
    let interruption: Interruption
    let state = Monitor(State())
    private let secrets: EchoedSecrets
    private let queue: Monitor<UploadQueue?> = Monitor(nil)

    /// Opens no connection and loads no library.
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
                RedisStorage(RedisServer(address, timeouts: settings.timeouts, interruption: interruption), log: log)
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
        secrets = EchoedSecrets(headers: settings.headers, credentials: settings.address.credentials)
    }

    public func reads(_ scope: ScopeName) -> Bool { settings.mode != .write && settings.scopes.contains(scope) }

    public func writes(_ scope: ScopeName) -> Bool { settings.mode != .read && settings.scopes.contains(scope) }

    // MARK: Operations

    /// Runs a storage operation. Throws the operation's failure with secrets removed and the message cut to 400
    /// characters.
    ///
    /// - Parameter stop: throws to end the operation; by default if the run is interrupted.
    func run<Value>(
        _ limits: RemoteOperation.Limits, stop: (@Sendable () throws -> Void)? = nil,
        _ body: (RemoteOperation) throws -> Value
    ) throws -> Value {
        do {
            return try body(RemoteOperation(limits, stop: stop ?? interruption.check))
        } catch let stop as ReceiverFailed {
            throw stop
        } catch {
            try interruption.check()
            let failure = Support.failure(of: error)
            func cleaned(_ text: String) -> String {
                let text = secrets.removed(from: text)
                return text.count > 400 ? text.prefix(400) + "…" : text
            }
            if let failure = failure as? RemoteFailure { throw failure.mapReason(cleaned) }
            let message = cleaned(failure.message)
            throw message == failure.message ? failure : RemoteFailure.failed(message)
        }
    }

    /// Reads an object of at most `limits.byteLimit` bytes. Returns its size, or nil if it does not exist. An error
    /// thrown by `receive` is wrapped in `ReceiverFailed`.
    private func read(
        _ object: RemoteObject, _ limits: RemoteOperation.Limits, receive: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Int? {
        try run(limits) { operation in
            let isThere = try storage.read(object, operation) { bytes in
                try operation.add(bytes.count)
                do { try receive(bytes) } catch { throw ReceiverFailed(error: error) }
            }
            return isThere ? operation.bytes : nil
        }
    }

    /// Stores an object. Bytes are counted when the storage reads them.
    func write(
        _ body: any ByteSource, to object: RemoteObject, lifetime: Duration?, under claim: (any RemoteClaim)? = nil,
        stop: (@Sendable () throws -> Void)? = nil
    ) throws {
        try run(.writing(body.count, settings.timeouts), stop: stop) { operation in
            let counted = CountedSource(source: body, operation: operation)
            try storage.write(counted, to: object, lifetime: lifetime, under: claim, operation)
        }
    }

    func size(of object: RemoteObject, stop: (@Sendable () throws -> Void)? = nil) throws -> Int? {
        try run(.asking(settings.timeouts), stop: stop) { try storage.size(of: object, $0) }
    }

    /// An error thrown by the caller's `receive` closure. It is not a failure of the remote.
    struct ReceiverFailed: Error {
        let error: any Error
    }

    // MARK: Reading

    public func document(of name: RemoteName, atMost byteLimit: Int) throws -> RemoteAnswer<RemoteDocument> {
        try asking(.document(name), atMost: byteLimit) { limits, count in
            let sink = MemorySink()
            guard let read = try read(.document(name), limits, receive: { try sink.write($0) }) else { return nil }
            count = read
            guard let document = try RemoteDocument(sink.bytes, named: name, key: settings.key) else {
                log.detail(
                    "the remote \(settings.address): the document \(name.digest) lacks a valid signature; ignoring it")
                return nil
            }
            return document
        }
    }

    public func content(of document: RemoteDocument, receive: (RawSpan) throws -> Void) throws -> RemoteAnswer<Void> {
        try content(of: document, byteLimit: settings.byteLimit, receive: receive)
    }

    /// Reads the content of a document. Returns `.absent` if the content has more than `byteLimit` bytes.
    func content(
        of document: RemoteDocument, byteLimit: Int, receive: (RawSpan) throws -> Void
    ) throws -> RemoteAnswer<Void> {
        switch document.content {
        case .inline(let bytes):
            try receive(bytes.span.bytes)
            return .found(())
        case .bytes(let sha256, let count):
            guard count <= byteLimit else {
                log.detail("the remote \(settings.address): an entry of \(count) bytes exceeds the limit; ignoring it")
                return .absent
            }
            return try asking(.content(sha256), atMost: count) { limits, received in
                guard let read = try read(.content(sha256), limits, receive: { try receive($0.bytes) }) else {
                    return nil
                }
                received = read
                guard received == count else {
                    note(damaged: sha256)
                    throw RemoteFailure.damaged("received \(received) of \(count) bytes")
                }
                return ()
            }
        }
    }

    /// Runs a request unless the breaker is open, and records its outcome and the time lost.
    ///
    /// - Parameter body: sends the request and counts the bytes received; returns nil if the object does not exist.
    private func asking<Value>(
        _ object: RemoteObject, atMost byteLimit: Int,
        _ body: (_ limits: RemoteOperation.Limits, _ count: inout Int) throws -> Value?
    ) throws -> RemoteAnswer<Value> {
        guard let patience = patience(for: [\.reading]) else { return .notAsked }
        var count = 0
        let begun = SteadyTime.now()
        do {
            let value = try body(.reading(atMost: byteLimit, settings.timeouts, patience: patience), &count)
            state.withLock { $0.reading.noteSuccess() }
            addMetric("get", object, since: begun, value == nil ? "miss" : "hit", count)
            // The time for reading content is lost only if `reportDamage` is called later.
            if value == nil { noteLost(since: begun, unlessWithin: settings.timeouts.free) }
            if value is RemoteDocument { noteLost(since: begun, unlessWithin: settings.timeouts.connect) }
            return value.map { .found($0) } ?? .absent
        } catch let stop as ReceiverFailed {
            throw stop.error
        } catch {
            try interruption.check()
            let failure = Support.failure(of: error)
            addMetric("get", object, since: begun, "error", count, failure)
            note(failure, .reading)
            noteLost(since: begun)
            if case .damaged? = failure as? RemoteFailure { return .damaged }
            return .failed
        }
    }

    public func reportDamage(of document: RemoteDocument, after span: Duration, _ reason: String) {
        if let sha256 = document.sha256 { note(damaged: sha256) }
        note(RemoteFailure.damaged("\(document.name.digest): \(reason)"), .reading)
        noteLost(since: SteadyTime.now() - span)
    }

    private func note(damaged sha256: String) { state.withLock { _ = $0.damaged.insert(sha256) } }

    // MARK: Limits of the run

    /// Returns the time that the run may still lose by waiting; nil if a breaker is open, `.some(nil)` if there is no
    /// limit.
    func patience(for breakers: [KeyPath<State, CircuitBreaker>]) -> Duration?? {
        state.withLock { state in
            if breakers.contains(where: { state[keyPath: $0].isOpen }) { return nil }
            return .some(settings.isPatient ? nil : settings.timeouts.patience - state.lost.total)
        }
    }

    /// Counts the time since `start` as lost, and stops reading once the total reaches the limit.
    ///
    /// - Parameter free: the maximum length of a wait that is not counted.
    func noteLost(since start: Duration, unlessWithin free: Duration = .zero) {
        let now = SteadyTime.now()
        if settings.isPatient || now - start <= free { return }
        let patience = settings.timeouts.patience
        let hasOpened = state.withLock { state in
            state.lost.add(start..<now)
            // Less than a millisecond is too short for another request.
            return state.lost.total + .milliseconds(1) >= patience && state.reading.noteFailure(isFinal: true)
        }
        if hasOpened {
            log.warning(
                "the remote \(settings.address): waiting for it has taken "
                    + "\(TimeSpan.description(patience)); \(Direction.reading.end)")
        }
    }

    enum Direction {
        case reading, writing

        var breaker: WritableKeyPath<State, CircuitBreaker> { self == .reading ? \.reading : \.writing }

        /// The part of a warning that names the consequence of too many failures.
        var end: String { "this run no longer \(self == .reading ? "reads from" : "uploads to") it" }
    }

    /// Counts a failure. Warns if the failure opens the breaker or reports damage.
    func note(_ failure: any Failure, _ direction: Direction) {
        let reason = failure as? RemoteFailure
        let hasOpened = state.withLock { $0[keyPath: direction.breaker].noteFailure(isFinal: reason?.isFinal ?? false) }
        let words = "the remote \(settings.address): \(failure.message)"
        if hasOpened {
            log.warning("\(words); \(direction.end)")
        } else if case .damaged? = reason {
            log.warning("\(words); ignoring it")
        } else {
            log.detail("\(words); this run continues without it")
        }
    }

    private func addMetric(
        _ operation: String, _ object: RemoteObject, since begun: Duration, _ status: String, _ bytes: Int,
        _ failure: (any Failure)? = nil
    ) {
        metrics.add(
            MetricEvent(
                .remote,
                [
                    "op": .text(operation), "object": .text(object.path), "status": .text(status),
                    "bytes": .integer(bytes), "ms": .time(SteadyTime.now() - begun),
                    "code": failure.map { .text($0.code) },
                ]))
    }

    // MARK: Writing

    public func offer(_ offer: RemoteUpload) {
        if state.withLock({ $0.writing.isOpen }) {
            offer.claim?.release()
            return offer.done(.notAsked)
        }
        let queue = queue.withLock { queue in
            let made = queue ?? UploadQueue { [self] in push($0, check: $1) }
            queue = made
            return made
        }
        if !queue.add(offer) {
            offer.claim?.release()
            offer.done(.notAsked)
        }
    }

    private func push(_ offer: RemoteUpload, check: @escaping @Sendable () throws -> Void) {
        defer { offer.claim?.release() }
        if state.withLock({ $0.writing.isOpen }) { return offer.done(.notAsked) }
        let document = offer.document
        let object = document.sha256.map(RemoteObject.content) ?? .document(document.name)
        let begun = SteadyTime.now()
        do {
            let sent = try upload(offer) { [interruption] in
                try interruption.check()
                try check()
            }
            state.withLock { $0.writing.noteSuccess() }
            addMetric("put", object, since: begun, sent == nil ? "gone" : "stored", sent ?? 0)
            offer.done(sent.map { .found($0) } ?? .absent)
        } catch {
            let failure = Support.failure(of: error)
            addMetric("put", object, since: begun, "error", 0, failure)
            if failure is Cancelled || (failure as? RemoteFailure)?.code == RemoteFailure.givenUp.code {
                return offer.done(.notAsked)
            }
            note(failure, .writing)
            offer.done(.failed)
        }
    }

    /// Uploads the content unless the remote has it, and then the document that names it. Returns the number of bytes
    /// sent, or nil if the file no longer exists.
    func upload(_ offer: RemoteUpload, stop: (@Sendable () throws -> Void)? = nil) throws -> Int? {
        let document = offer.document
        let lifetime = document.expiresAt.map { $0 - .now() }
        var sent = 0
        if case .bytes(let sha256, let count) = document.content, let open = offer.open {
            let object = RemoteObject.content(sha256)
            let isDamaged = state.withLock { $0.damaged.contains(sha256) }
            if try isDamaged || size(of: object, stop: stop) != count {
                guard let file = try? open(), file.count == count else { return nil }
                try write(file, to: object, lifetime: lifetime, stop: stop)
                state.withLock { _ = $0.damaged.remove(sha256) }
                sent = count
            } else {
                try run(.asking(settings.timeouts), stop: stop) { try storage.prolong(object, lifetime: lifetime, $0) }
            }
        }
        try write(
            MemorySource(document.encoded(key: settings.key)), to: .document(document.name), lifetime: lifetime,
            under: offer.claim, stop: stop)
        return sent
    }

    /// Waits for uploads, and then for the release of claims. The time limit is `RemoteSettings.wait` minus the time
    /// that the run has already lost, but at least `Timeouts.connect` for the release.
    public func close() {
        let wait = max(settings.wait - state.withLock { $0.lost.total }, .zero)
        let end = SteadyTime.now() + wait
        if let queue = queue.withLock({ $0 }) {
            let (unfinished, refused) = queue.close(atMost: wait) { [interruption] in interruption.cause != nil }
            func warn(_ count: Int, _ what: String) {
                guard count > 0, interruption.cause == nil, !state.withLock({ $0.writing.isOpen }) else { return }
                log.warning(
                    "the remote \(settings.address): \(counted(count, "upload was", "uploads were")) \(what)")
            }
            warn(unfinished, "not finished in time; raise APOD_TOOLS_REMOTE_WAIT, or run img-cache push")
            warn(refused, "skipped, because the queue of uploads was full; run img-cache push")
        }
        let left = interruption.cause == nil ? end - SteadyTime.now() : .zero
        storage.close(within: max(left, settings.timeouts.connect))
    }
}
