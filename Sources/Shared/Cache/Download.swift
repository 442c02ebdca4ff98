import HTTP
import Support

/// One body on its way into a partial file: continued where one broke off, or from its beginning.
struct Download {
    /// A whole body that was accepted. Its bytes are on the disk.
    struct Body {
        let picture: InspectedPicture
        let bytes: Int
        /// How many of them came now.
        let received: Int
        let sha256: String
        let validators: Validators
    }

    enum Outcome {
        /// The server says that what is known is still right.
        case unchanged(Validators)
        case body(Body)
    }

    private let request: HTTPRequest
    private let partial: PartialFile
    private let validators: Validators?

    /// - Parameter validators: those of a copy that is there already; the server is then asked whether it has changed.
    init(request: HTTPRequest, into partial: PartialFile, validators: Validators?) {
        var request = request
        // Pictures don't shrink, and only bytes as they are stored can be continued.
        request.acceptsCompression = false
        request.rangeStart = nil
        if let etag = validators?.etag { request.headers.append(HTTPHeader("If-None-Match", etag, crossesOrigins: true)) }
        if let date = validators?.lastModified {
            request.headers.append(HTTPHeader("If-Modified-Since", date, crossesOrigins: true))
        }
        self.request = request
        self.partial = partial
        self.validators = validators
    }

    /// Carries it out. Where it fails for a time or is stopped, what has arrived stays for the next one, if that can
    /// continue; after any other failure nothing stays.
    func run(client: HTTPClient, inspect: Inspection) throws -> Outcome {
        do {
            let address = SHA256.hex(of: request.url.requestText)
            if validators == nil, let note = partial.readNote(), note.address == address, note.boot == PartialFile.boot {
                let file = try partial.open()
                if file.count > 0, let body = try resume(file, note: note, client: client, inspect: inspect) {
                    return .body(body)
                }
            }
            return try transfer(request, try partial.open(), address: address, client: client, inspect: inspect)
        } catch {
            let mayContinue = error is Cancelled || (error as? FetchFailure)?.isTransient == true
            if !mayContinue || partial.readNote() == nil { partial.remove() }
            throw error
        }
    }

    /// Continues after the bytes that are there; nil where that leads to nothing whole, and it must begin anew.
    private func resume(_ file: File, note: PartialFile.Note, client: HTTPClient, inspect: Inspection) throws -> Body? {
        var request = request
        request.rangeStart = file.count
        request.headers.append(HTTPHeader("If-Range", note.etag, crossesOrigins: true))
        do {
            guard case .body(let body) = try transfer(
                request, file, address: note.address, etag: note.etag, client: client, inspect: inspect)
            else { return nil }
            return body
        } catch let failure as FetchFailure where failure.status == 416 {
            // Nothing after these bytes: they were all, or the resource is shorter by now.
            return nil
        } catch is UnusableRange {
            return nil
        } catch let failure as any Failure where failure.exitCode == .data {
            // Perhaps only the two parts don't fit.
            return nil
        }
    }

    /// Fetches into `file`: all of the body, or what comes after the bytes that are there and belong to `etag`.
    private func transfer(
        _ request: HTTPRequest, _ file: File, address: String, etag: String? = nil, client: HTTPClient,
        inspect: Inspection
    ) throws -> Outcome {
        let start = request.rangeStart ?? 0
        var prefix = SHA256()
        if start > 0 { prefix = try BlobStore.digest(of: file) }
        var hash = SHA256()
        var count = 0
        var received = 0
        var statuses: Set<Int> = [200]
        if start > 0 { statuses.insert(206) }
        if validators != nil { statuses.insert(304) }
        let response = try client.get(request, accepting: statuses) { event in
            switch event {
            case .head(let response) where response.status == 206:
                // A server that knows ranges, but not conditions, would give the end of another version.
                guard Self.rangeStart(response) == start, response.headers.last("ETag") == etag else {
                    throw UnusableRange()
                }
                try PartialFile.truncate(file, to: start)
                (hash, count) = (prefix, start)
            case .head(let response) where response.status == 200:
                try partial.restart(file, note: Self.note(of: response, address: address))
                (hash, count) = (SHA256(), 0)
            case .head: break
            case .body(let bytes):
                try file.write(bytes)
                hash.update(bytes)
                count += bytes.count
                received += bytes.count
            case .pause: break
            }
        }
        if response.status == 304 { return .unchanged(Self.validators(of: response, else: validators)) }
        // Opened anew: how much there is was not known before.
        let picture = try inspect(try partial.open())
        try file.synchronize()
        return .body(
            Body(
                picture: picture, bytes: count, received: received, sha256: hash.finish(),
                validators: Self.validators(of: response, else: nil)))
    }

    /// The first byte of a `Content-Range: bytes 100-199/200` (RFC 9110 §14.4).
    private static func rangeStart(_ response: HTTPResponse) -> Int? {
        guard let range = response.headers.last("Content-Range"), range.lowercased().hasPrefix("bytes ") else {
            return nil
        }
        return Int(range.dropFirst(6).prefix { $0 != "-" })
    }

    /// What is to be noted of a body so that it can be continued: only a strong ETag names bytes (RFC 9110 §8.8.1).
    private static func note(of response: HTTPResponse, address: String) -> PartialFile.Note? {
        guard let etag = validators(of: response, else: nil).etag, etag.hasPrefix("\""), let boot = PartialFile.boot
        else { return nil }
        return PartialFile.Note(address: address, etag: etag, boot: boot)
    }

    /// The validators of an answer. What is too long or could not be sent back as it is counts as none.
    private static func validators(of response: HTTPResponse, else known: Validators?) -> Validators {
        func usable(_ name: String) -> String? {
            response.headers.last(name).flatMap {
                $0.isEmpty || $0.utf8.count > 1024 || $0.hasControlCharacters ? nil : $0
            }
        }
        return Validators(
            etag: usable("ETag") ?? known?.etag, lastModified: usable("Last-Modified") ?? known?.lastModified)
    }
}

/// A partial answer that begins elsewhere than asked for, or belongs to another version.
private struct UnusableRange: Error {}
