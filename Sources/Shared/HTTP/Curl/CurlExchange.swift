import CCurl
import Support

/// One exchange on a connection: what libcurl calls back into.
final class CurlExchange {
    private let request: HTTPRequest
    private let connection: CurlConnection
    private let addressGuard: AddressGuard
    private let proxy: ProxyChoice
    private let receive: (HTTPEvent) throws -> Void
    private var reader = HeadReader()
    private var response: HTTPResponse?
    /// What ended the transfer from within a callback.
    private var error: (any Error)?
    private var refused: (address: IPAddress, kind: AddressClass)?
    private var hasDialled = false
    /// When something last arrived, or when the receiver was last told that nothing does.
    private var lastEvent = SteadyTime.now()
    /// How many bytes of the body have not been delivered yet.
    private var gatheredCount = 0

    init(
        _ request: HTTPRequest, on connection: CurlConnection, guard addressGuard: AddressGuard, proxy: ProxyChoice,
        receive: @escaping (HTTPEvent) throws -> Void
    ) {
        self.request = request
        self.connection = connection
        self.addressGuard = addressGuard
        self.proxy = proxy
        self.receive = receive
    }

    /// How many bytes libcurl receives at once.
    static let bufferSize = 128 << 10

    /// Carries out the exchange. The connection's options are set, except for the callbacks. Throws `FetchFailure`,
    /// `Cancelled` and what the receiver throws.
    func run(interruption: Interruption) throws -> HTTPResponse {
        let handle = connection.handle
        ccurl_set_receiver(
            handle,
            ccurl_receiver(
                // Unretained: libcurl calls only from within `ccurl_step`, below.
                context: Unmanaged.passUnretained(self).toOpaque(),
                head: { context, bytes, count in
                    CurlExchange.of(context).head(UnsafeRawBufferPointer(start: bytes, count: count))
                },
                body: { context, bytes, count in
                    CurlExchange.of(context).body(UnsafeRawBufferPointer(start: bytes, count: count))
                },
                send: { context, offset, buffer, count in
                    CurlExchange.of(context).send(
                        into: UnsafeMutableRawBufferPointer(start: buffer, count: count), from: Int(offset))
                },
                dial: { context, bytes, count in
                    CurlExchange.of(context).dial([UInt8](UnsafeRawBufferPointer(start: bytes, count: count)))
                }))
        let result = try withExtendedLifetime(self) {
            try interruption.during(onCancel: { [connection] in connection.wake() }) {
                guard ccurl_begin(handle) else { throw fault("it has no memory left") }
                while true {
                    let result = ccurl_step(handle)
                    // What has arrived is delivered without waiting for more.
                    if error == nil { _ = handOnGathered() }
                    if error != nil || result >= 0 { return result }
                    try interruption.check()
                    ccurl_wait(handle, Int32(try restOfPause()))
                }
            }
        }
        if let error { throw error }
        guard result == CCURL_OK else { throw failure(result, handle) }
        guard let response else { throw FetchFailure.badAnswer(url: request.url, detail: "no status line") }
        return response
    }

    /// Tells the receiver that nothing comes, if that is due, and returns the milliseconds until it is due again.
    private func restOfPause() throws -> Int64 {
        let now = SteadyTime.now()
        if now - lastEvent >= HTTPEvent.pauseLength {
            lastEvent = now
            try receive(.pause)
        }
        // Rounded up: waiting slightly too short would mean looking twice.
        return (HTTPEvent.pauseLength - (now - lastEvent)).milliseconds + 1
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> CurlExchange {
        Unmanaged<CurlExchange>.fromOpaque(context!).takeUnretainedValue()
    }

    private func head(_ line: UnsafeRawBufferPointer) -> Bool {
        lastEvent = SteadyTime.now()
        guard handOnGathered() else { return false }
        switch reader.add(line) {
        case .more: return true
        case .tooLong:
            error = FetchFailure.badAnswer(url: request.url, detail: "more than 300 kB of header fields")
            return false
        case .complete(let status, let headers, let endsAtClose):
            let response = HTTPResponse(
                status: status, headers: headers, url: request.url, endsAtClose: endsAtClose)
            self.response = response
            return deliver(.head(response))
        }
    }

    private func body(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let gathered = connection.gathered
        lastEvent = SteadyTime.now()
        if bytes.count > gathered.count - gatheredCount {
            guard handOnGathered() else { return false }
            if bytes.count > gathered.count { return deliver(.body(bytes)) }
        }
        UnsafeMutableRawBufferPointer(rebasing: gathered[gatheredCount...]).copyMemory(from: bytes)
        gatheredCount += bytes.count
        return true
    }

    /// Returns false if the receiver does not want any more.
    private func handOnGathered() -> Bool {
        let count = gatheredCount
        gatheredCount = 0
        return count == 0 || deliver(.body(UnsafeRawBufferPointer(rebasing: connection.gathered[..<count])))
    }

    private func deliver(_ event: HTTPEvent) -> Bool {
        do {
            try receive(event)
            return true
        } catch {
            self.error = error
            return false
        }
    }

    /// Gives the next bytes of the body that is sent; -1 ends the transfer.
    private func send(into buffer: UnsafeMutableRawBufferPointer, from offset: Int) -> Int {
        guard case .put(let body) = request.method else { return -1 }
        do {
            return try body.read(buffer, offset)
        } catch {
            self.error = error
            return -1
        }
    }

    /// Whether a socket to that address may be opened. A proxy is allowed, as the user has chosen it; what it may be
    /// asked for was judged before.
    private func dial(_ bytes: [UInt8]) -> Bool {
        guard let address = IPAddress(bytes: bytes) else { return false }
        if proxy == .direct, case .refused(let kind) = addressGuard.verdict(on: address) {
            refused = (address, kind)
            return false
        }
        hasDialled = true
        return true
    }

    private func fault(_ detail: String) -> FetchFailure { .transportFault(url: request.url, detail: detail) }

    /// The failure that a transfer's result stands for.
    private func failure(_ result: Int32, _ handle: OpaquePointer) -> FetchFailure {
        if let refused, !hasDialled {
            return .blockedAddress(url: request.url, address: refused.address, refused.kind)
        }
        let url = request.url
        let detail = withoutProxySecret(String(cString: ccurl_error_text(handle, result)))
        let tunnelStatus = ccurl_info_long(handle, Int32(CCURL_INFO_HTTP_CONNECTCODE))
        switch Int(result) {
        case CCURL_COULDNT_RESOLVE_HOST: return .nameNotResolved(url: url)
        case CCURL_RECV_ERROR where tunnelStatus == 407, CCURL_COULDNT_CONNECT where tunnelStatus == 407:
            return .status(Answer(status: 407, headers: HTTPHeaders(), url: url))
        case CCURL_RECV_ERROR where tunnelStatus >= 300, CCURL_COULDNT_CONNECT where tunnelStatus >= 300:
            return .proxyFailed(url: url, detail: "it answered \(tunnelStatus)")
        case CCURL_COULDNT_CONNECT, CCURL_GOT_NOTHING, CCURL_SEND_ERROR:
            return .connectionFailed(url: url, detail: detail)
        case CCURL_RECV_ERROR, CCURL_HTTP2, CCURL_HTTP2_STREAM:
            return response == nil
                ? .connectionFailed(url: url, detail: detail) : .cutShort(url: url, detail: detail)
        case CCURL_PARTIAL_FILE: return .cutShort(url: url, detail: detail)
        case CCURL_OPERATION_TIMEDOUT: return .timedOut(url: url, phase(detail, handle))
        case CCURL_PEER_FAILED_VERIFICATION, CCURL_SSL_ISSUER_ERROR: return .badCertificate(url: url, detail: detail)
        case CCURL_SSL_CONNECT_ERROR, CCURL_SSL_CERTPROBLEM, CCURL_SSL_CIPHER:
            return .tlsFailed(url: url, detail: detail)
        case CCURL_UNSUPPORTED_PROTOCOL, CCURL_WEIRD_SERVER_REPLY, CCURL_BAD_CONTENT_ENCODING, CCURL_WRITE_ERROR:
            return .badAnswer(url: url, detail: detail)
        case CCURL_SSL_CACERT_BADFILE: return .badCertificateFile(detail: detail)
        case CCURL_COULDNT_RESOLVE_PROXY, CCURL_PROXY_ERROR: return .proxyFailed(url: url, detail: detail)
        default: return fault(detail)
        }
    }

    private typealias Answer = FetchFailure.Answer

    /// libcurl's message, unless it repeats the proxy's URL with a user name and a password in it.
    private func withoutProxySecret(_ detail: String) -> String {
        guard case .proxy(let text) = proxy, let at = text.lastIndex(of: "@"),
            detail.contains(text: String(text[...at]))
        else { return detail }
        return "its URL cannot be read"
    }

    private func phase(_ detail: String, _ handle: OpaquePointer) -> FetchFailure.Phase {
        if response == nil, ccurl_info_microseconds(handle, Int32(CCURL_INFO_PRETRANSFER_TIME_T)) == 0 {
            return .connecting
        }
        return detail.contains(text: "too slow") ? .waiting : .receiving
    }
}
