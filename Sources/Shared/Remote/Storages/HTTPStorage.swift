import HTTP
import Store
import Support

/// A server that supports GET, HEAD and PUT: nginx with WebDAV, `rclone serve webdav`, the gateway of an object store.
struct HTTPStorage: RemoteStorage {
    private let base: String
    private let client: HTTPClient
    private let settings: RemoteSettings
    private let url: WebURL

    /// Opens no connection and loads no library.
    init(_ url: WebURL, settings: RemoteSettings, environment: Environment, log: Log, interruption: Interruption) {
        self.url = url
        self.settings = settings
        base = url.path.hasSuffix("/") ? url.path : url.path + "/"
        client = HTTPClient(
            // All addresses are allowed: the user chose this server, and it cannot send the client to another server,
            // because redirects are not followed.
            transport: CurlTransport(
                guard: .allowingAll, environment: environment, certificateFile: settings.certificates),
            guard: .allowingAll, retries: RetrySchedule(retries: 0), redirects: RedirectPolicy(limit: 0),
            // The limits of each operation apply instead.
            timeouts: HTTPRequest.Timeouts(
                connect: settings.timeouts.connect, stall: .seconds(86_400), total: .seconds(86_400)),
            log: log, interruption: interruption)
    }

    private func request(_ object: RemoteObject, byteLimit: Int) throws -> HTTPRequest {
        // The user chose this origin, so it may receive secrets even without encryption.
        HTTPRequest(
            url: try url.resolving(base + object.path), headers: settings.headers, cleartextOrigins: [url.origin],
            byteLimit: byteLimit, acceptsCompression: false)
    }

    func read(
        _ object: RemoteObject, _ operation: RemoteOperation, receive: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        try isThere {
            let request = try request(object, byteLimit: operation.limits.byteLimit)
            _ = try client.watched(by: operation.check).get(request) { event in
                if case .body(let bytes) = event { try receive(bytes) }
            }
        }
    }

    func size(of object: RemoteObject, _ operation: RemoteOperation) throws -> Int? {
        var size: Int?
        _ = try isThere {
            let request = try request(object, byteLimit: .max)
            size = try client.watched(by: operation.check).head(request).headers.contentLength
        }
        return size
    }

    func write(
        _ body: any ByteSource, to object: RemoteObject, lifetime: Duration?, under claim: (any RemoteClaim)?,
        _ operation: RemoteOperation
    ) throws {
        do {
            _ = try client.watched(by: operation.check).put(body, at: request(object, byteLimit: .max))
        } catch FetchFailure.status(let answer) where [405, 501].contains(answer.status) {
            throw RemoteFailure.refused("the server answered \(answer.status), so it does not support PUT")
        } catch {
            throw Self.judged(error)
        }
    }

    /// Runs a request. Returns false if the status is 404 or 410.
    private func isThere(_ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return true
        } catch FetchFailure.status(let answer) where answer.status == 404 || answer.status == 410 {
            return false
        } catch {
            throw Self.judged(error)
        }
    }

    /// Converts a failure that would occur again to `RemoteFailure.refused`, and a wrong body to
    /// `RemoteFailure.damaged`.
    private static func judged(_ error: any Error) -> any Error {
        guard let failure = error as? FetchFailure else { return error }
        switch failure {
        case .status(let answer) where [401, 403, 405, 407, 501].contains(answer.status):
            return RemoteFailure.refused(failure.message)
        case .noLibcurl, .badCertificate, .badCertificateFile, .badHeader, .exposedSecret, .tooManyRedirects,
            .badRedirect:
            return RemoteFailure.refused(failure.message)
        case .cutShort, .tooLarge, .unwantedEncoding: return RemoteFailure.damaged(failure.message)
        default: return failure
        }
    }
}
