import HTTP
import Store
import Support

/// A server that knows GET, HEAD and PUT: nginx with WebDAV, `rclone serve webdav`, the gateway of an object store.
struct HTTPStorage: RemoteStorage {
    private let base: String
    private let client: HTTPClient
    private let settings: RemoteSettings
    private let url: WebURL

    /// Opens and loads nothing.
    init(_ url: WebURL, settings: RemoteSettings, environment: Environment, log: Log, interruption: Interruption) {
        self.url = url
        self.settings = settings
        base = url.path.hasSuffix("/") ? url.path : url.path + "/"
        let timeouts = settings.timeouts
        client = HTTPClient(
            // The user has named the server. It cannot lead elsewhere, as no redirect is followed.
            transport: CurlTransport(
                guard: .allowingAll, environment: environment, certificateFile: settings.certificates),
            guard: .allowingAll, retries: RetrySchedule(retries: 0), redirects: RedirectPolicy(limit: 0),
            timeouts: HTTPRequest.Timeouts(
                connect: timeouts.connect, stall: timeouts.stall, total: .seconds(86_400)),
            log: log, interruption: interruption)
    }

    private func request(_ object: RemoteObject, byteLimit: Int) throws -> HTTPRequest {
        // The user has named the origin, with or without encryption.
        HTTPRequest(
            url: try url.resolving(base + object.path), headers: settings.headers, cleartextOrigins: [url.origin],
            byteLimit: byteLimit, acceptsCompression: false)
    }

    func read(
        _ object: RemoteObject, byteLimit: Int, receive: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        let pace = Pace(settings.timeouts)
        return try isThere {
            _ = try client.get(request(object, byteLimit: byteLimit)) { event in
                switch event {
                case .head: pace.progress()
                case .body(let bytes):
                    pace.progress()
                    try receive(bytes)
                case .pause: try pace.check()
                }
            }
        }
    }

    func size(of object: RemoteObject) throws -> Int? {
        let pace = Pace(settings.timeouts)
        var size: Int?
        _ = try isThere {
            size = try client.watched(by: pace.check).head(request(object, byteLimit: .max)).headers.contentLength
        }
        return size
    }

    func write(
        _ body: RequestBody, to object: RemoteObject, lifetime: Duration?, under claim: (any RemoteClaim)?,
        check: @escaping @Sendable () throws -> Void
    ) throws {
        // What was read is still on its way: the system holds some megabytes. Nobody waits for it but another thread.
        let pace = Pace(RemoteSettings.Timeouts(connect: settings.timeouts.connect * 8))
        let watched = RequestBody(count: body.count) { buffer, offset in
            pace.progress()
            return try body.read(buffer, offset)
        }
        let client = client.watched {
            try check()
            try pace.check()
        }
        do {
            _ = try client.put(watched, at: request(object, byteLimit: .max))
        } catch FetchFailure.status(let answer) where [405, 501].contains(answer.status) {
            throw RemoteFailure.refused("it answered \(answer.status): the server does not take PUT")
        } catch {
            throw Self.judged(error)
        }
    }

    /// Runs a request; false if the server says that there is no such thing.
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

    /// An answer that would be the same again is a refusal.
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

/// Ends a transfer that stands still for longer than the timeouts allow.
private final class Pace: Sendable {
    private struct State {
        var last = SteadyTime.now()
        var hasBegun = false
    }

    private let timeouts: RemoteSettings.Timeouts
    private let state = Monitor(State())

    init(_ timeouts: RemoteSettings.Timeouts) { self.timeouts = timeouts }

    /// Notes that something has arrived or left.
    func progress() { state.withLock { $0 = State(hasBegun: true) } }

    /// Throws `RemoteFailure.failed` if nothing has for too long.
    @Sendable func check() throws {
        let (last, hasBegun) = state.withLock { ($0.last, $0.hasBegun) }
        let limit = hasBegun ? timeouts.stall : timeouts.firstByte
        guard SteadyTime.now() - last < limit else {
            throw RemoteFailure.failed("no bytes came for \(TimeSpan.description(limit))")
        }
    }
}
