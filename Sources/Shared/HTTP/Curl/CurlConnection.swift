import CCurl
import Support

/// A libcurl handle that keeps its network connections open between exchanges.
///
/// `@unchecked Sendable`: only the thread that took the connection from the pool uses it. The exception is `wake`,
/// which libcurl allows from any thread while the handle exists, that is, while this object is referenced.
final class CurlConnection: @unchecked Sendable {
    let handle: OpaquePointer
    /// The undelivered bytes of a body. Reused between exchanges, since allocating memory costs more than filling it.
    let gathered: UnsafeMutableRawBufferPointer
    /// The origin of the last exchange. A connection to this origin may still be open.
    var origin: WebURL.Origin?

    /// Loads libcurl if it isn't loaded yet. Throws `FetchFailure.noLibcurl`.
    init() throws {
        if let reason = ccurl_load() { throw FetchFailure.noLibcurl(detail: String(cString: reason)) }
        guard let handle = ccurl_open() else { throw FetchFailure.noLibcurl(detail: "out of memory") }
        self.handle = handle
        gathered = .allocate(byteCount: Self.pieceSize, alignment: 64)
    }

    deinit {
        ccurl_close(handle)
        gathered.deallocate()
    }

    /// The maximum number of bytes per delivery. libcurl passes 16 KiB per call, and each write costs a system call.
    /// Many pictures fit completely, and the buffer stays within the processor's cache.
    private static let pieceSize = 512 << 10

    /// Makes the current wait, or else the next wait, return immediately.
    func wake() { ccurl_wake(handle) }
}

/// Idle connections, the most recently used last.
struct CurlConnectionPool {
    /// The maximum number of idle connections: more than the default numbers of parallel downloads and transfers.
    static let limit = 16

    private var idle: [CurlConnection] = []

    /// Removes and returns a connection to `origin`, or the least recently used connection if the pool is full. Returns
    /// nil if a new connection is needed.
    mutating func take(for origin: WebURL.Origin) -> CurlConnection? {
        if let index = idle.lastIndex(where: { $0.origin == origin }) { return idle.remove(at: index) }
        // While there is room, connections to other servers stay open for later requests.
        return idle.count >= Self.limit ? idle.removeFirst() : nil
    }

    mutating func giveBack(_ connection: CurlConnection) {
        idle.append(connection)
        if idle.count > Self.limit { idle.removeFirst() }
    }
}
