import HTTP
import Store
import Support

/// Something in a remote.
enum RemoteObject: Sendable, Equatable {
    /// What is known of a thing.
    case document(RemoteName)
    /// Bytes, by their SHA-256.
    case content(String)

    /// Its name, relative to the remote.
    var path: String {
        switch self {
        case .document(let name): "ac/\(name.digest)"
        case .content(let sha256): "cas/\(sha256)"
        }
    }
}

/// The server or folder behind a remote.
///
/// All calls block, and may come from any number of threads. They wait no longer than their operation allows, and throw
/// its errors; `RemoteFailure`, `FetchFailure` or `SystemFailure` if the storage fails; and `Cancelled` if the run is
/// stopped.
protocol RemoteStorage: Sendable {
    /// Passes on the bytes of an object, whole or damaged; returns false if there is none. Throws what `receive` throws.
    func read(
        _ object: RemoteObject, _ operation: RemoteOperation, receive: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool

    /// Returns how many bytes an object has; nil if there is none, or if the storage cannot say.
    func size(of object: RemoteObject, _ operation: RemoteOperation) throws -> Int?

    /// Stores an object in the place of an older one: whole, or not at all.
    ///
    /// - Parameters:
    ///   - lifetime: how long it is of use; nil for ever.
    ///   - claim: under which it was fetched or made.
    func write(
        _ body: RequestBody, to object: RemoteObject, lifetime: Duration?, under claim: (any RemoteClaim)?,
        _ operation: RemoteOperation
    ) throws

    /// Sees to it that an object that is there lives as long as one that is stored now.
    func prolong(_ object: RemoteObject, lifetime: Duration?, _ operation: RemoteOperation) throws

    /// Tries once to get the right to fetch or make a thing among all machines.
    ///
    /// - Parameter token: names the holder; equal for all tries of the same holder.
    func claim(_ name: RemoteName, token: String, _ operation: RemoteOperation) throws -> ClaimAnswer

    /// Releases all claims, as far as that succeeds within `limit`.
    func close(within limit: Duration)
}

/// The answer to an attempt to get a claim.
enum ClaimAnswer {
    case granted(any RemoteClaim)
    /// Another machine has it.
    case held
    /// This kind of storage has no claims.
    case none
}

extension RemoteStorage {
    func claim(_ name: RemoteName, token: String, _ operation: RemoteOperation) -> ClaimAnswer { .none }

    func prolong(_ object: RemoteObject, lifetime: Duration?, _ operation: RemoteOperation) {}

    func close(within limit: Duration) {}
}
