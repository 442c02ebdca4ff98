import HTTP
import Store
import Support

/// One body on its way into a partial file: continued where it broke off, in an earlier attempt or an earlier process.
///
/// Bytes are only ever continued under a validator that names them (`If-Range`, RFC 9110 §13.1.5), and where the answer
/// bears the same one, begins at the byte that was asked for, and speaks of as many bytes in all. Anything else makes
/// it begin anew. Used by one thread.
final class Download {
    /// A whole body that was accepted. Its bytes are on the disk.
    struct Body {
        let picture: FileFacts
        let bytes: Int
        /// How many of them came now.
        let received: Int
        let sha256: String
        let validators: Validators
        /// The fields of the last answer.
        let headers: HTTPHeaders
    }

    enum Outcome {
        /// The server says that what is known is still right, with these fields.
        case unchanged(Validators, HTTPHeaders)
        case body(Body)
        /// A whole body that its server wants nobody to keep, past the cache.
        case aside(BypassFile)
    }

    private let request: HTTPRequest
    private let partial: PartialFile
    private var known: Validators?
    private let address: String
    private let bypass: Bypass?
    private let watcher: (any BodyWatcher)?
    private let use: MemoryUse?

    /// Where the body goes instead where its server wants nobody to keep it.
    private var aside: BypassFile?
    // What the file holds.
    private var file: File?
    private var note: PartialFile.Note?
    private var body: BodyWriter?
    private var validators = Validators()
    /// Whether its bytes came by more than one answer.
    private var isJoined = false
    /// Whether all bytes have come, so that a failure is one of the inspection.
    private var isInspected = false
    private var received = 0
    /// The inspected picture, if only the inspection could tell that the body was whole.
    private var inspected: FileFacts?
    /// Whether the note is still to be written.
    private var lacksNote = false

    /// - Parameters:
    ///   - validators: those of a copy that is there already; the server is then asked whether it has changed.
    ///   - bypass: takes an answer that its server wants nobody to keep; nil keeps it all the same.
    ///   - watcher: sees the bytes as soon as they are in the file.
    ///   - use: bounds what the file takes, in memory.
    init(
        request: HTTPRequest, into partial: PartialFile, validators: Validators?, bypass: Bypass? = nil,
        watcher: (any BodyWatcher)? = nil, use: MemoryUse? = nil
    ) {
        self.watcher = watcher
        self.use = use
        self.request = request
        self.partial = partial
        known = validators
        self.bypass = bypass
        address = Self.address(of: request)
    }

    /// What a partial file remembers an address by, which may have secrets.
    static func address(of request: HTTPRequest) -> String { SHA256.hex(of: request.url.requestText) }

    /// Carries it out. Where it fails for a time or is stopped, what has arrived stays for the next one, if that can
    /// continue; after any other failure nothing stays.
    func run(client: HTTPClient, inspect: Inspection) throws -> Outcome {
        do {
            file = try partial.open()
            try takeOver(check: client.check)
            do {
                return try transfer(client: client, inspect: inspect)
            } catch let failure as any Failure where isJoined && (isInspected || failure.exitCode == .data) {
                // Perhaps only the parts don't fit, whatever the server says of them.
                forget()
                return try transfer(client: client, inspect: inspect)
            }
        } catch let lost as PartialFile.Lost {
            // Another process has put a file of its own there.
            throw lost
        } catch {
            let mayContinue = error is Cancelled || (error as? FetchFailure)?.isTransient == true
            if !mayContinue || (try? partial.readNote() == nil) == true { partial.remove() }
            throw error
        }
    }

    /// Makes use of what an earlier download has left. One that had everything asks for the last byte again, since
    /// there is no range behind it.
    private func takeOver(check: () throws -> Void) throws {
        guard let file, let note = try partial.readNote(), note.address == address, note.boot == PartialFile.boot else {
            return
        }
        let start = note.total.map { min(file.count, $0 - 1) } ?? file.count
        guard start > 0 else { return }
        try PartialFile.truncate(file, to: start)
        body = BodyWriter(file, after: start, hash: try BlobStore.digest(of: file, check: check), use: use)
        (self.note, validators, isJoined) = (note, note.validators, true)
    }

    /// What is there is of no use: the next attempt asks for everything.
    private func forget() { (note, lacksNote, body, isJoined, isInspected) = (nil, false, nil, false, false) }

    /// How many bytes the file holds.
    private var count: Int { body?.count ?? 0 }

    private func transfer(client: HTTPClient, inspect: Inspection) throws -> Outcome {
        let response = try client.get(attempts: attempt, receive: receive) { response in
            guard aside == nil, let file, body != nil else { return }
            inspected = nil
            try response.requireEnd { inspected = try inspect(partial.reopen(file)) }
        }
        if response.status == 304 {
            if known?.isConfirmed(by: Validators(of: response.headers)) == true {
                return .unchanged(Validators(of: response.headers, else: known), response.headers)
            }
            known = nil
            return try transfer(client: client, inspect: inspect)
        }
        if let aside {
            partial.remove()
            return .aside(aside)
        }
        // Opened anew: how much there is was not known before.
        guard let file, let body else { throw PartialFile.Lost() }
        isInspected = true
        let picture = try inspected ?? inspect(partial.reopen(file))
        return .body(
            Body(
                picture: picture, bytes: body.count, received: received, sha256: try body.finish(),
                validators: validators, headers: response.headers))
    }

    private func arriving(_ partial: PartialFile, count: Int, total: Int?) throws -> ArrivingBody {
        guard let folder = try partial.root.folder() else { throw PartialFile.Lost() }
        return ArrivingBody(in: folder, name: partial.name, count: count, total: total, use: use)
    }

    /// The request for what is still missing.
    private func attempt() -> HTTPClient.Attempt {
        var request = request
        // Pictures don't shrink, and only bytes as they are stored can be continued.
        request.acceptsCompression = false
        if let note, count > 0, let header = Self.header("If-Range", note.validator) {
            request.rangeStart = count
            request.headers.append(header)
            return (request, HTTPResponse.wholeStatuses.union([206, 416]))
        }
        request.rangeStart = nil
        let conditions = [
            Self.header("If-None-Match", known?.etag), Self.header("If-Modified-Since", known?.lastModified),
        ].compactMap { $0 }
        request.headers += conditions
        return (request, conditions.isEmpty ? HTTPResponse.wholeStatuses : HTTPResponse.wholeStatuses.union([304]))
    }

    /// Nil if there is no such validator, or where what a damaged disk made of it cannot be sent: the answer is then
    /// a whole one.
    private static func header(_ name: String, _ validator: String?) -> HTTPHeader? {
        validator.map { HTTPHeader(name, $0, crossesOrigins: true) }.flatMap { $0.isValid ? $0 : nil }
    }

    private func receive(_ event: HTTPEvent) throws {
        guard let file else { return }
        switch event {
        case .head(let response) where bypass != nil && !Retention.allowsKeeping(response.headers, response.status):
            forget()
            // The rest of what must not be kept; all of it is wanted instead.
            if response.status == 206 { throw HTTPClient.RetryNow() }
            if response.isWhole { aside = try bypass?.begin() }
        case .body(let bytes) where aside != nil:
            try aside?.write(bytes)
            received += bytes.count
        case .head(let response) where response.isWhole:
            aside = nil
            note = PartialFile.Note(of: response, address: address)
            validators = Validators(of: response.headers)
            (body, isJoined) = (nil, false)
            try partial.restart(file)
            body = BodyWriter(file, use: use)
            lacksNote = note != nil
            try watcher?.begin(arriving(partial, count: 0, total: response.headers.contentLength))
        case .head(let response) where response.status == 206:
            guard let note, note.isContinued(by: response, from: count) else {
                forget()
                throw HTTPClient.RetryNow()
            }
            validators = Validators(of: response.headers, else: note.validators)
            isJoined = true
            try watcher?.begin(arriving(partial, count: count, total: note.total))
        case .head(let response) where response.status == 416:
            // Nothing after these bytes: the resource is shorter by now, or its length was not known.
            forget()
            throw HTTPClient.RetryNow()
        case .head, .pause: break
        case .body(let bytes):
            // What comes all at once is not worth a file of its own: there is nothing left to continue.
            if lacksNote, let note, note.total != bytes.count {
                try partial.write(note, of: file)
                lacksNote = false
            }
            try body?.write(bytes)
            try watcher?.take(bytes)
            received += bytes.count
        }
    }
}

extension PartialFile.Note {
    /// What is to be noted of a whole body that begins, so that it can be continued; nil if nothing names its bytes.
    init?(of response: HTTPResponse, address: String) {
        let validators = Validators(of: response.headers)
        guard let validator = validators.strong(date: response.headers.last("Date")), let boot = PartialFile.boot else {
            return nil
        }
        self.init(address: address, validator: validator, total: response.headers.contentLength, boot: boot)
    }

    /// Whether a 206 holds what comes after the first `count` bytes of what was noted. A server that knows ranges, but
    /// not conditions, would give the end of another version.
    func isContinued(by response: HTTPResponse, from count: Int) -> Bool {
        guard let range = ContentRange(response.headers), range.first == count else { return false }
        let given = Validators(of: response.headers)
        // One with an ETag by now is another answer, even of the same date.
        guard given.etag == validators.etag, validators.lastModified.map({ $0 == given.lastModified }) ?? true else {
            return false
        }
        guard let total, let claimed = range.total else { return true }
        return total == claimed
    }
}

extension Validators {
    /// The validators of an answer, `known` where it names none. What is too long or could not be sent back as it is
    /// counts as none.
    init(of headers: HTTPHeaders, else known: Validators? = nil) {
        func usable(_ name: String) -> String? {
            headers.last(name).flatMap { $0.isEmpty || $0.utf8.count > 1024 || $0.hasControlCharacters ? nil : $0 }
        }
        self.init(etag: usable("ETag") ?? known?.etag, lastModified: usable("Last-Modified") ?? known?.lastModified)
    }

    /// Whether a 304 with the validators `given` is about the version that these name (RFC 9111 §4.3.4): its ETag, or
    /// without one its time of change, is the same, or it has none.
    func isConfirmed(by given: Validators) -> Bool {
        func opaque(_ etag: String) -> Substring { etag.hasPrefix("W/") ? etag.dropFirst(2) : etag[...] }
        if let etag, let other = given.etag { return opaque(etag) == opaque(other) }
        guard etag == nil, given.etag == nil, let lastModified, let other = given.lastModified else { return true }
        return lastModified == other
            || HTTPDate.timestamp(lastModified).map { $0 == HTTPDate.timestamp(other) } ?? false
    }

    /// The one that names bytes and may stand in `If-Range`: an ETag that is not weak (RFC 9110 §8.8.1); where there is
    /// no ETag at all, a time of change that lies at least a second before the answer's `date`, so that no later
    /// change can bear it (§8.8.2.2, §13.1.5).
    func strong(date: String?) -> String? {
        if let etag { return etag.hasPrefix("\"") && etag.hasSuffix("\"") && etag.utf8.count > 1 ? etag : nil }
        guard let lastModified, let changed = HTTPDate.timestamp(lastModified),
            let sent = date.flatMap({ HTTPDate.timestamp($0) }), changed + .seconds(1) <= sent
        else { return nil }
        return lastModified
    }
}
