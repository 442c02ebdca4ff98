import CCurl
import Support

/// A libcurl handle that keeps its network connections open between exchanges.
///
/// `@unchecked Sendable`: only the thread that took it out of the pool uses it, except for `wake`, which libcurl allows
/// from any thread while the handle exists, that is, while there is a reference to this object.
final class CurlConnection: @unchecked Sendable {
    let handle: OpaquePointer
    /// Collects the bytes of a body until they are delivered. Kept between exchanges, since new memory costs more than
    /// the work on it.
    let gathered: UnsafeMutableRawBufferPointer
    /// The server of the last exchange; a connection to it may still be open.
    var origin: WebURL.Origin?

    /// Loads libcurl if it isn't loaded yet. Throws `FetchFailure.noLibcurl`.
    init() throws {
        if let reason = ccurl_load() { throw FetchFailure.noLibcurl(detail: String(cString: reason)) }
        guard let handle = ccurl_open() else { throw FetchFailure.noLibcurl(detail: "it has no memory left") }
        self.handle = handle
        gathered = .allocate(byteCount: Self.pieceSize, alignment: 64)
    }

    deinit {
        ccurl_close(handle)
        gathered.deallocate()
    }

    /// The maximum of bytes per delivery: libcurl passes 16 KiB per call, and each write costs a system call. Many
    /// pictures fit completely, and the buffer stays within the processor's cache.
    private static let pieceSize = 512 << 10

    /// Makes the current wait, or else the next wait, return immediately.
    func wake() { ccurl_wake(handle) }
}

/// Idle connections, the most recently used last.
struct CurlConnectionPool {
    /// More than the tools ever use in parallel.
    static let limit = 16

    private var idle: [CurlConnection] = []

    /// Removes a connection, preferably to that server. Returns nil if a new connection is needed.
    mutating func take(for origin: WebURL.Origin) -> CurlConnection? {
        guard let index = idle.lastIndex(where: { $0.origin == origin }) else {
            // Keeps a connection to another server for that server, while there is room.
            return idle.count >= Self.limit ? idle.removeFirst() : nil
        }
        return idle.remove(at: index)
    }

    mutating func giveBack(_ connection: CurlConnection) {
        idle.append(connection)
        if idle.count > Self.limit { idle.removeFirst() }
    }
}
