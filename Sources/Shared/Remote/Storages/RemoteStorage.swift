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

/// Where a remote keeps what it has: a server, or a folder.
///
/// All calls block, and may come from any number of threads. They throw `RemoteFailure`, `FetchFailure` or
/// `SystemFailure` if the storage does not do what it should, and `Cancelled` if the run is stopped.
protocol RemoteStorage: Sendable {
    /// Passes on what there is of an object, whole or damaged, at most `byteLimit` bytes; false if there is none.
    /// Throws what `receive` throws.
    func read(_ object: RemoteObject, byteLimit: Int, receive: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool

    /// How many bytes an object has; nil if there is none, or if that cannot be told.
    func size(of object: RemoteObject) throws -> Int?

    /// Stores an object in the place of an older one: whole, or not at all.
    ///
    /// - Parameters:
    ///   - lifetime: how long it is of use; nil for ever.
    ///   - claim: under which it was fetched or made.
    ///   - check: called several times a second; ends the call by throwing.
    func write(
        _ body: RequestBody, to object: RemoteObject, lifetime: Duration?, under claim: (any RemoteClaim)?,
        check: @escaping @Sendable () throws -> Void
    ) throws

    /// Sees to it that an object that is there lives as long as one that is stored now.
    func prolong(_ object: RemoteObject, lifetime: Duration?) throws

    /// Waits for the right to fetch or make a thing among all machines; nil if this kind of storage has none to give.
    func claim(_ name: RemoteName, check: () throws -> Void) throws -> (any RemoteClaim)?

    /// Ends what goes on for claims.
    func close()
}

extension RemoteStorage {
    func claim(_ name: RemoteName, check: () throws -> Void) throws -> (any RemoteClaim)? { nil }

    func prolong(_ object: RemoteObject, lifetime: Duration?) {}

    func close() {}
}
