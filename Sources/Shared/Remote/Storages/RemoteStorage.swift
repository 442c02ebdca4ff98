import HTTP
import Store
import Support

enum RemoteObject: Sendable, Equatable {
    /// The document with this name, see `RemoteDocument`.
    case document(RemoteName)
    /// The bytes with this SHA-256.
    case content(String)

    /// The path relative to the remote's address.
    var path: String {
        switch self {
        case .document(let name): "ac/\(name.digest)"
        case .content(let sha256): "cas/\(sha256)"
        }
    }
}

/// The server or folder behind a remote.
///
/// Each call blocks, is safe from any thread, and waits no longer than its operation allows. Throws the operation's
/// errors; `RemoteFailure`, `FetchFailure` or `SystemFailure` if the storage fails; and `Cancelled` if the run is
/// interrupted.
protocol RemoteStorage: Sendable {
    /// Passes the bytes of an object to `receive`, without checking them. Returns false if the object does not exist.
    func read(
        _ object: RemoteObject, _ operation: RemoteOperation, receive: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool

    /// Returns the size of an object, or nil if it does not exist or the storage does not report its size.
    func size(of object: RemoteObject, _ operation: RemoteOperation) throws -> Int?

    /// Stores an object, replacing an older object. While a storage writes in pieces, readers can see an incomplete
    /// object.
    ///
    /// - Parameters:
    ///   - lifetime: the time until the object expires; nil if the object never expires.
    ///   - claim: the claim under which the object was fetched or made.
    func write(
        _ body: any ByteSource, to object: RemoteObject, lifetime: Duration?, under claim: (any RemoteClaim)?,
        _ operation: RemoteOperation
    ) throws

    /// Extends the lifetime of a stored object as if it were stored now.
    func prolong(_ object: RemoteObject, lifetime: Duration?, _ operation: RemoteOperation) throws

    /// Tries once to get the exclusive right, among all machines, to fetch or make an entry.
    ///
    /// - Parameter token: identifies the holder in all its attempts.
    func claim(_ name: RemoteName, token: String, _ operation: RemoteOperation) throws -> ClaimAnswer

    /// Releases as many claims as possible within `limit`.
    func close(within limit: Duration)
}

enum ClaimAnswer {
    case granted(any RemoteClaim)
    /// Another machine has the claim.
    case held
    /// This kind of storage has no claims.
    case none
}

extension RemoteStorage {
    func claim(_ name: RemoteName, token: String, _ operation: RemoteOperation) -> ClaimAnswer { .none }

    func prolong(_ object: RemoteObject, lifetime: Duration?, _ operation: RemoteOperation) {}

    func close(within limit: Duration) {}
}
