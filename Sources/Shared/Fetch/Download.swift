import HTTP
import Store
import Support

/// Downloads a body into a partial file. Resumes an earlier attempt of any process if possible.
///
/// A download is resumed only with a validator (`If-Range`, RFC 9110 §13.1.5), and only if the answer has the same
/// validator, begins at the requested byte and has the same total length. Otherwise it restarts. Not thread-safe.
final class Download {
    /// A complete body that passed the inspection.
    struct Body {
        let picture: FileFacts
        /// The number of bytes received in this run.
        let received: Int
        let validators: Validators
        let headers: HTTPHeaders
    }

    enum Outcome {
        /// The server confirmed the known version, with these header fields.
        case unchanged(Validators, HTTPHeaders)
        case body(Body)
        /// A complete body with `no-store`, in an ephemeral file.
        case noStoreBody(EphemeralFile)
    }

    private let request: HTTPRequest
    private let partial: PartialFile
    private var known: Validators?
    private let address: String
    private let ephemeralStore: EphemeralStore?
    private let watcher: (any BodyWatcher)?
    private let use: MemoryUse?

    private var noStoreBody: EphemeralFile?
    /// Identifies the version of the bytes in the file.
    private var note: PartialFile.Note?
    private var validators = Validators()
    /// Whether the bytes come from several answers.
    private var isJoined = false
    /// Whether the body is complete and its inspection has begun, so that a failure comes from the inspection.
    private var isInspected = false
    private var received = 0
    /// The inspected picture, if only the inspection could prove that the body was complete.
    private var inspected: FileFacts?
    private var lacksNote = false
    /// Whether `restart` or `resume` has begun a body.
    private var hasBody = false

    /// - Parameters:
    ///   - validators: the validators of an existing copy, for a conditional request.
    ///   - ephemeralStore: stores answers with `no-store`; nil to ignore `no-store`.
    ///   - watcher: observes the bytes after they are written.
    ///   - use: the memory limit for previews in memory.
    init(
        request: HTTPRequest, into partial: PartialFile, validators: Validators?, ephemeralStore: EphemeralStore? = nil,
        watcher: (any BodyWatcher)? = nil, use: MemoryUse? = nil
    ) {
        self.watcher = watcher
        self.use = use
        self.request = request
        self.partial = partial
        known = validators
        self.ephemeralStore = ephemeralStore
        address = Self.address(of: request)
    }

    /// The digest that replaces the address in a partial file's note, because the address may contain secrets.
    static func address(of request: HTTPRequest) -> String { SHA256.hex(of: request.url.requestText) }

    /// Runs the download. After a temporary failure or a cancellation, the received bytes stay if the next download can
    /// resume them. After any other failure, they are removed.
    func run(client: HTTPClient, inspect: Inspection) throws -> Outcome {
        do {
            try partial.open()
            note = try partial.resume(address: address, check: client.check)
            if let note { (hasBody, isJoined, validators) = (true, true, note.validators) }
            do {
                return try transfer(client: client, inspect: inspect)
            } catch let failure as any Failure where isJoined && (isInspected || failure.exitCode == .data) {
                // The parts may belong to different versions, despite equal validators.
                forget()
                return try transfer(client: client, inspect: inspect)
            }
        } catch let lost as FileReplaced {
            // Another process has replaced the file.
            throw lost
        } catch {
            let mayContinue = error is Cancelled || (error as? FetchFailure)?.isTransient == true
            if !mayContinue || (try? partial.readNote() == nil) == true { partial.remove() }
            throw error
        }
    }

    /// Discards the bytes, so that the next attempt requests the whole body.
    private func forget() {
        partial.forget()
        (note, lacksNote, hasBody, isJoined, isInspected) = (nil, false, false, false, false)
    }

    private func transfer(client: HTTPClient, inspect: Inspection) throws -> Outcome {
        let response = try client.get(attempts: attempt, receive: receive) { response in
            guard noStoreBody == nil, hasBody else { return }
            inspected = nil
            try response.requireEnd { inspected = try inspect(partial.reopened()) }
        }
        if response.status == 304 {
            if known?.isConfirmed(by: Validators(of: response.headers)) == true {
                return .unchanged(Validators(of: response.headers, else: known), response.headers)
            }
            known = nil
            return try transfer(client: client, inspect: inspect)
        }
        if let noStoreBody {
            partial.remove()
            return .noStoreBody(noStoreBody)
        }
        guard hasBody else { throw FileReplaced() }
        isInspected = true
        let picture = try inspected ?? inspect(partial.reopened())
        return .body(Body(picture: picture, received: received, validators: validators, headers: response.headers))
    }

    private func arriving(_ partial: PartialFile, count: Int, total: Int?) throws -> ArrivingBody {
        guard let folder = try partial.root.folder() else { throw FileReplaced() }
        return ArrivingBody(folder: folder, name: partial.name, count: count, total: total, use: use)
    }

    /// Returns the request for the missing bytes, and the accepted statuses.
    private func attempt() -> HTTPClient.Attempt {
        var request = request
        // Compression does not make pictures smaller, and only bytes stored as received can be resumed.
        request.acceptsCompression = false
        if let note, partial.count > 0, let header = Self.header("If-Range", note.validator) {
            request.rangeStart = partial.count
            request.headers.append(header)
            return (request, HTTPResponse.fullRepresentationStatuses.union([206, 416]))
        }
        request.rangeStart = nil
        let conditions = [
            Self.header("If-None-Match", known?.etag), Self.header("If-Modified-Since", known?.lastModified),
        ].compactMap { $0 }
        request.headers += conditions
        return (
            request,
            conditions.isEmpty
                ? HTTPResponse.fullRepresentationStatuses : HTTPResponse.fullRepresentationStatuses.union([304])
        )
    }

    /// Returns nil if there is no validator, or if a damaged disk made the validator invalid. The server then sends the
    /// whole body.
    private static func header(_ name: String, _ validator: String?) -> HTTPHeader? {
        validator.map { HTTPHeader(name, $0, survivesCrossOriginRedirect: true) }.flatMap { $0.isValid ? $0 : nil }
    }

    private func receive(_ event: HTTPEvent) throws {
        switch event {
        case .head(let response)
        where ephemeralStore != nil && !Retention.allowsStoring(response.headers, response.status):
            forget()
            // A partial answer with `no-store`. Request the whole body instead.
            if response.status == 206 { throw HTTPClient.RetryNow() }
            if response.isFullRepresentation { noStoreBody = try ephemeralStore?.begin() }
        case .body(let bytes) where noStoreBody != nil:
            try noStoreBody?.write(bytes)
            received += bytes.count
        case .head(let response) where response.isFullRepresentation:
            noStoreBody = nil
            note = partial.boot.flatMap { PartialFile.Note(of: response, address: address, boot: $0) }
            validators = Validators(of: response.headers)
            (hasBody, isJoined) = (false, false)
            try partial.restart()
            hasBody = true
            lacksNote = note != nil
            try watcher?.begin(arriving(partial, count: 0, total: response.headers.contentLength))
        case .head(let response) where response.status == 206:
            guard let note, note.isContinued(by: response, from: partial.count) else {
                forget()
                throw HTTPClient.RetryNow()
            }
            validators = Validators(of: response.headers, else: note.validators)
            isJoined = true
            try watcher?.begin(arriving(partial, count: partial.count, total: note.total))
        case .head(let response) where response.status == 416:
            // The resource has become shorter, or the file was already complete but its length was unknown.
            forget()
            throw HTTPClient.RetryNow()
        case .head, .pause: break
        case .body(let bytes):
            // A body received in a single piece needs no note, because it cannot be interrupted.
            if lacksNote, let note, note.total != bytes.count {
                try partial.write(note)
                lacksNote = false
            }
            try partial.write(bytes)
            try watcher?.take(bytes)
            received += bytes.count
        }
    }
}

extension PartialFile.Note {
    /// The note for a new body, so that its download can be resumed. Nil without a strong validator.
    init?(of response: HTTPResponse, address: String, boot: Int64) {
        guard let validator = Validators(of: response.headers).strong(date: response.headers.last("Date")) else {
            return nil
        }
        self.init(address: address, validator: validator, total: response.headers.contentLength, boot: boot)
    }

    /// Whether a 206 continues this version of the body after `count` bytes. Needed because a server that ignores
    /// `If-Range` would send the end of another version.
    func isContinued(by response: HTTPResponse, from count: Int) -> Bool {
        guard let range = ContentRange(response.headers), range.first == count else { return false }
        let given = Validators(of: response.headers)
        // If the note has no ETag, an answer with an ETag is another version, even if it was modified at the same time.
        guard given.etag == validators.etag, validators.lastModified.map({ $0 == given.lastModified }) ?? true else {
            return false
        }
        guard let total, let claimed = range.total else { return true }
        return total == claimed
    }
}

extension Validators {
    /// The validators of an answer, completed from `known`. Ignores values that are too long or cannot be sent back.
    init(of headers: HTTPHeaders, else known: Validators? = nil) {
        func usable(_ name: String) -> String? {
            headers.last(name).flatMap { $0.isEmpty || $0.utf8.count > 1024 || $0.hasControlCharacters ? nil : $0 }
        }
        self.init(etag: usable("ETag") ?? known?.etag, lastModified: usable("Last-Modified") ?? known?.lastModified)
    }

    /// Whether a 304 with the validators `given` confirms this version (RFC 9111 §4.3.4). If this version has an ETag,
    /// compares the ETags; a 304 without an ETag also confirms it, because the server has compared the ETag of the
    /// request (RFC 9110 §13.1.3). Otherwise compares the modification times. If a time is missing, the 304 confirms
    /// this version only if the 304 has no ETag.
    func isConfirmed(by given: Validators) -> Bool {
        func opaque(_ etag: String) -> Substring { etag.hasPrefix("W/") ? etag.dropFirst(2) : etag[...] }
        if let etag { return given.etag.map { opaque($0) == opaque(etag) } ?? true }
        guard let lastModified, let other = given.lastModified else { return given.etag == nil }
        return lastModified == other
            || HTTPDate.timestamp(lastModified).map { $0 == HTTPDate.timestamp(other) } ?? false
    }

    /// The validator for `If-Range`: an ETag that is not weak (RFC 9110 §8.8.1) or, without an ETag, a modification
    /// time at least a second before the answer's `date`, so that a later change must have another time (§8.8.2.2,
    /// §13.1.5).
    func strong(date: String?) -> String? {
        if let etag { return etag.hasPrefix("\"") && etag.hasSuffix("\"") && etag.utf8.count > 1 ? etag : nil }
        guard let lastModified, let changed = HTTPDate.timestamp(lastModified),
            let sent = date.flatMap({ HTTPDate.timestamp($0) }), changed + .seconds(1) <= sent
        else { return nil }
        return lastModified
    }
}
