import Support

/// Reports exchanges to metrics when they end, and to progress while they run. Wraps the libcurl transport directly, so
/// it sees every exchange of every tool, including redirects and retries.
public struct ObservedTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let metrics: Metrics
    private let progress: Progress

    /// Returns `base` itself if there is nothing to report.
    public static func over(_ base: any HTTPTransport, metrics: Metrics, progress: Progress) -> any HTTPTransport {
        metrics.isSilent && progress.isHidden ? base : Self(base: base, metrics: metrics, progress: progress)
    }

    public func exchange(
        _ request: HTTPRequest, interruption: Interruption, receive: (HTTPEvent) throws -> Void
    ) throws -> HTTPResponse {
        let transfer = progress.beginTransfer(request.url.fileName)
        defer { transfer?.end() }
        var status: Int?
        var bytes = 0
        return try metrics.measure {
            try base.exchange(request, interruption: interruption) { event in
                switch event {
                case .head(let head):
                    status = head.status
                    bytes = 0
                    if let transfer { Self.expect(head, of: request, transfer) }
                case .body(let piece):
                    bytes += piece.count
                    // Do not count the body of an error response as a download.
                    if status.map(Self.isWanted) == true { transfer?.receive(piece.count) }
                case .pause: break
                }
                try receive(event)
            }
        } event: { result, duration in
            MetricEvent(
                .download,
                [
                    "url": .text(request.url.redacted), "status": status.map { .integer($0) }, "bytes": .integer(bytes),
                    "resumed_from": request.rangeStart.flatMap { status == 206 ? .integer($0) : nil },
                    "ms": .time(duration), "code": MetricEvent.code(of: result),
                ])
        }
    }

    public func waiting(
        _ reason: Progress.WaitReason, host: String, for span: Duration, _ body: () throws -> Void
    ) throws { try progress.waiting(reason, host: host, for: span) { try body() } }

    private static func isWanted(_ status: Int) -> Bool {
        HTTPResponse.fullRepresentationStatuses.contains(status) || status == 206
    }

    /// Passes the size of the resource to progress, or nil if the response does not state it.
    private static func expect(_ head: HTTPResponse, of request: HTTPRequest, _ transfer: Progress.Transfer) {
        guard isWanted(head.status) else { return }
        let start = head.status == 206 ? request.rangeStart ?? 0 : 0
        // `Content-Length` counts compressed bytes, but delivered bytes are decompressed.
        let isPlain = head.headers["Content-Encoding"] == nil
        let total = isPlain ? head.headers.contentLength.map { start.addingReportingOverflow($0) } : nil
        transfer.expect(bytes: start, total: total.flatMap { $0.overflow ? nil : $0.partialValue })
    }
}

extension WebURL {
    /// The resource's name for people: the last segment of the path, decoded, with secrets concealed, or the host.
    var fileName: String {
        guard
            let last = AddressSecrets.concealed(in: "\(origin)\(path)")
                .dropFirst(origin.description.count).split(separator: "/").last
        else { return host }
        return String(decoding: PercentEncoding.decoded(Array(last.utf8)[...]), as: UTF8.self)
    }
}
