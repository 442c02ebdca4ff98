import CCurl
import Support

/// A libcurl handle that keeps its network connections open from one exchange to the next.
///
/// `@unchecked Sendable`: only the thread that has taken it out of the pool uses it, except for `wake`, which libcurl
/// allows from any thread as long as the handle exists, that is, as long as there is a reference to this object.
final class CurlConnection: @unchecked Sendable {
    let handle: OpaquePointer
    /// What gathers the bytes of a body until they are delivered: kept from one exchange to the next, since memory that
    /// is new costs more than what is done with it.
    let gathered: UnsafeMutableRawBufferPointer
    /// The server of the last exchange, to which a connection may still be open.
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

    /// How many bytes are delivered at once: libcurl gives 16 KiB a call, and each write costs a system call. Many
    /// pictures fit as a whole, and the buffer stays within the processor's cache.
    private static let pieceSize = 512 << 10

    /// Makes the wait that is going on, or else the next one, return at once.
    func wake() { ccurl_wake(handle) }
}

/// Idle connections, the most recently used one last.
struct CurlConnectionPool {
    /// More than the tools ever use at once.
    static let limit = 16

    private var idle: [CurlConnection] = []

    /// Takes out a connection, preferably one to that server; nil if a new one has to be made.
    mutating func take(for origin: WebURL.Origin) -> CurlConnection? {
        guard let index = idle.lastIndex(where: { $0.origin == origin }) else {
            // A connection to another server is kept for that one, as long as there is room for one more.
            return idle.count >= Self.limit ? idle.removeFirst() : nil
        }
        return idle.remove(at: index)
    }

    mutating func giveBack(_ connection: CurlConnection) {
        idle.append(connection)
        if idle.count > Self.limit { idle.removeFirst() }
    }
}
