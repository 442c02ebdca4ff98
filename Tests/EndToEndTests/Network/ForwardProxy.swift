import Libc
import Support
import TestSupport

/// A proxy on 127.0.0.1 that opens tunnels to local ports, and answers plain requests itself.
final class ForwardProxy: Sendable {
    private let server: LoopbackServer
    private let seen: Monitor<[LoopbackRequest]>

    /// - Parameter respond: the response to a plain request.
    init(respond: @escaping @Sendable (LoopbackRequest) -> LoopbackResponse = { _ in .text("no", status: 502) }) throws
    {
        let seen = Monitor<[LoopbackRequest]>([])
        self.seen = seen
        server = try LoopbackServer { request, connection in
            seen.update { $0.append(request) }
            guard request.method == "CONNECT" else { return try connection.send(respond(request), to: request) }
            guard let port = request.target.split(separator: ":").last.flatMap({ UInt16($0) }) else {
                return try connection.send(.text("no", status: 400), to: request)
            }
            try connection.tunnel(to: port)
        }
    }

    var address: String { server.address }

    /// The requests in order of arrival, as `CONNECT 127.0.0.1:443` or `GET http://…`.
    var requests: [String] { seen.withLock { $0.map { "\($0.method) \($0.target)" } } }
}
