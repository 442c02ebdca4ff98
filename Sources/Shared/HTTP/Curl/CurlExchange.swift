import CCurl
import Support

/// An exchange on a connection. Receives libcurl's callbacks.
final class CurlExchange {
    private let request: HTTPRequest
    private let connection: CurlConnection
    private let addressGuard: AddressGuard
    private let proxy: ProxyChoice
    private let receive: (HTTPEvent) throws -> Void
    private var reader = HeadReader()
    private var response: HTTPResponse?
    /// The error of the callback that ended the transfer.
    private var error: (any Error)?
    private var refused: (address: IPAddress, kind: AddressClass)?
    private var hasDialled = false
    /// The time of the last event for the receiver. The lines of an incomplete head are not events.
    private var lastEvent = SteadyTime.now()
    /// The number of undelivered bytes in `connection.gathered`.
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

    /// The maximum number of bytes that libcurl receives per read.
    static let bufferSize = 128 << 10

    /// Carries out the exchange. All other options of the connection must be set. Throws `FetchFailure`, `Cancelled`
    /// and errors of the receiver.
    func run(interruption: Interruption) throws -> HTTPResponse {
        let handle = connection.handle
        ccurl_set_receiver(
            handle,
            ccurl_receiver(
                // Unretained: libcurl calls back only during `ccurl_step` below.
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
                guard ccurl_begin(handle) else {
                    throw FetchFailure.transportFault(url: request.url, detail: "out of memory")
                }
                while true {
                    let result = ccurl_step(handle)
                    // Delivers received bytes without waiting for more.
                    if error == nil { _ = deliverGathered() }
                    if error != nil || result >= 0 { return result }
                    try interruption.check()
                    ccurl_wait(handle, Int32(try restOfPause()))
                }
            }
        }
        if let error { throw error }
        guard result == CCURL_OK else { throw failure(result, handle) }
        guard let response else { throw FetchFailure.badAnswer(url: request.url, detail: "no final status") }
        return response
    }

    /// Sends `.pause` to the receiver if it is due. Returns the milliseconds until the next pause is due.
    private func restOfPause() throws -> Int64 {
        let now = SteadyTime.now()
        if now - lastEvent >= HTTPEvent.pauseLength {
            lastEvent = now
            try receive(.pause)
        }
        // Rounded up: a wait that is too short would only be repeated.
        return (HTTPEvent.pauseLength - (now - lastEvent)).milliseconds + 1
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> CurlExchange {
        Unmanaged<CurlExchange>.fromOpaque(context!).takeUnretainedValue()
    }

    private func head(_ line: UnsafeRawBufferPointer) -> Bool {
        guard deliverGathered() else { return false }
        switch reader.add(line) {
        case .more: return true
        case .tooLong:
            error = FetchFailure.badAnswer(url: request.url, detail: "its header is larger than 300 kB")
            return false
        case .complete(let status, let headers, let endsAtClose):
            let response = HTTPResponse(status: status, headers: headers, url: request.url, endsAtClose: endsAtClose)
            self.response = response
            lastEvent = SteadyTime.now()
            return deliver(.head(response))
        }
    }

    private func body(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let gathered = connection.gathered
        lastEvent = SteadyTime.now()
        if bytes.count > gathered.count - gatheredCount {
            guard deliverGathered() else { return false }
            if bytes.count > gathered.count { return deliver(.body(bytes)) }
        }
        UnsafeMutableRawBufferPointer(rebasing: gathered[gatheredCount...]).copyMemory(from: bytes)
        gatheredCount += bytes.count
        return true
    }

    /// Returns false if the receiver ended the transfer.
    private func deliverGathered() -> Bool {
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

    /// Copies the next bytes of the request's body and returns their number, or -1 to end the transfer.
    private func send(into buffer: UnsafeMutableRawBufferPointer, from offset: Int) -> Int {
        guard case .put(let body) = request.method else { return -1 }
        do {
            return try body.read(into: buffer, at: offset)
        } catch {
            self.error = error
            return -1
        }
    }

    /// Returns whether a socket to this address may be opened. A connection to a proxy is always allowed: the user
    /// chose the proxy, and `ProxiedHosts` has judged the server's host.
    private func dial(_ bytes: [UInt8]) -> Bool {
        guard let address = IPAddress(bytes: bytes) else { return false }
        if proxy == .direct, case .refused(let kind) = addressGuard.verdict(on: address) {
            refused = (address, kind)
            return false
        }
        hasDialled = true
        return true
    }

    private func failure(_ result: Int32, _ handle: OpaquePointer) -> FetchFailure {
        if let refused, !hasDialled { return .blockedAddress(url: request.url, address: refused.address, refused.kind) }
        let url = request.url
        let detail = withoutProxySecret(String(cString: ccurl_error_text(handle, result)))
        let tunnelStatus = ccurl_info_long(handle, Int32(CCURL_INFO_HTTP_CONNECTCODE))
        switch Int(result) {
        case CCURL_RECV_ERROR where tunnelStatus == 407, CCURL_COULDNT_CONNECT where tunnelStatus == 407:
            return .status(FetchFailure.Answer(HTTPResponse(status: 407, url: url)))
        case CCURL_RECV_ERROR where tunnelStatus >= 300, CCURL_COULDNT_CONNECT where tunnelStatus >= 300:
            return .proxyFailed(url: url, detail: "it answered \(tunnelStatus)")
        case CCURL_OPERATION_TIMEDOUT:
            let sent = ccurl_info_microseconds(handle, Int32(CCURL_INFO_PRETRANSFER_TIME_T))
            if response == nil, sent == 0 { return .timedOut(url: url, .connecting) }
            return .timedOut(url: url, detail.contains(text: "too slow") ? .waiting : .receiving)
        default: return Self.failure(of: Int(result), url: url, detail: detail, hasHead: response != nil)
        }
    }

    /// Returns the failure for a CURLcode. The default case is for codes that HTTP does not use, and for codes of newer
    /// versions of libcurl.
    ///
    /// - Parameter hasHead: whether a complete head was received.
    static func failure(of code: Int, url: WebURL, detail: String, hasHead: Bool) -> FetchFailure {
        switch code {
        case CCURL_COULDNT_RESOLVE_HOST: .nameNotResolved(url: url)
        case CCURL_COULDNT_CONNECT, CCURL_GOT_NOTHING, CCURL_SEND_ERROR, CCURL_AGAIN, CCURL_NO_CONNECTION_AVAILABLE,
            CCURL_QUIC_CONNECT_ERROR, CCURL_SEND_FAIL_REWIND:
            .connectionFailed(url: url, detail: detail)
        case CCURL_RECV_ERROR, CCURL_HTTP2, CCURL_HTTP2_STREAM, CCURL_HTTP3:
            hasHead ? .cutShort(url: url, detail: detail) : .connectionFailed(url: url, detail: detail)
        case CCURL_PARTIAL_FILE: .cutShort(url: url, detail: detail)
        case CCURL_OPERATION_TIMEDOUT: .timedOut(url: url, .receiving)
        case CCURL_PEER_FAILED_VERIFICATION, CCURL_SSL_ISSUER_ERROR, CCURL_SSL_PINNEDPUBKEYNOTMATCH,
            CCURL_SSL_INVALIDCERTSTATUS:
            .badCertificate(url: url, detail: detail)
        case CCURL_SSL_CONNECT_ERROR, CCURL_SSL_CERTPROBLEM, CCURL_SSL_CIPHER, CCURL_USE_SSL_FAILED,
            CCURL_SSL_SHUTDOWN_FAILED, CCURL_SSL_CLIENTCERT, CCURL_ECH_REQUIRED:
            .tlsFailed(url: url, detail: detail)
        case CCURL_SSL_CACERT_BADFILE, CCURL_SSL_CRL_BADFILE: .badCertificateFile(detail: detail)
        case CCURL_COULDNT_RESOLVE_PROXY, CCURL_PROXY_ERROR: .proxyFailed(url: url, detail: detail)
        case CCURL_TOO_LARGE: .badAnswer(url: url, detail: "a header field exceeds libcurl's limit")
        case CCURL_OUT_OF_MEMORY:
            // libcurl before 8.6 also reports a long header field this way.
            .badAnswer(
                url: url,
                detail: hasHead
                    ? "out of memory"
                    : "a header field exceeds libcurl's limit, or there is not enough memory")
        case CCURL_FAILED_INIT, CCURL_URL_MALFORMAT, CCURL_NOT_BUILT_IN, CCURL_READ_ERROR, CCURL_FUNCTION_NOT_FOUND,
            CCURL_ABORTED_BY_CALLBACK, CCURL_BAD_FUNCTION_ARGUMENT, CCURL_INTERFACE_FAILED, CCURL_UNKNOWN_OPTION,
            CCURL_SSL_ENGINE_NOTFOUND, CCURL_SSL_ENGINE_SETFAILED, CCURL_SSL_ENGINE_INITFAILED,
            CCURL_RECURSIVE_API_CALL, CCURL_UNRECOVERABLE_POLL:
            .transportFault(url: url, detail: detail)
        default: .badAnswer(url: url, detail: detail)
        }
    }

    /// Returns libcurl's message, or a replacement if it contains the proxy's user name and password.
    private func withoutProxySecret(_ detail: String) -> String {
        guard case .proxy(let text) = proxy, let at = text.lastIndex(of: "@"),
            detail.contains(text: String(text[...at]))
        else { return detail }
        return "the URL of the proxy is invalid"
    }
}
