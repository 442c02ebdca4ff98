import Support

/// Storage shared by the caches of many machines, so that content need not be fetched or made on each machine.
///
/// A failure of the remote neither fails a run nor delays it for long: the answer is `failed`, and the caller continues
/// without the remote. All methods are thread-safe.
public protocol RemoteTier: Sendable {
    /// Whether content of this scope is read from the remote.
    func reads(_ scope: ScopeName) -> Bool

    /// Whether content of this scope is uploaded to the remote.
    func writes(_ scope: ScopeName) -> Bool

    /// Returns a document. Throws `Cancelled`.
    ///
    /// - Parameter byteLimit: the maximum stored size of the document.
    func document(of name: RemoteName, atMost byteLimit: Int) throws -> RemoteAnswer<RemoteDocument>

    /// Passes the bytes that a document describes to `receive`. Their number is correct, but they may be damaged, so
    /// the caller must verify the digest. Throws `Cancelled`, and the errors of `receive`.
    func content(of document: RemoteDocument, receive: (RawSpan) throws -> Void) throws -> RemoteAnswer<Void>

    /// Reports that bytes do not match their document, so that the next `offer` replaces them.
    ///
    /// - Parameter span: the duration of the read.
    func reportDamage(of document: RemoteDocument, after span: Duration, _ reason: String)

    /// Waits for the exclusive right, among all machines that share the remote, to fetch or make content. Returns nil
    /// if the remote does not support claims or does not answer, or if the wait reaches its time limit. Throws
    /// `Cancelled` and the errors of `check`.
    ///
    /// - Parameter check: called several times a second while another machine has the claim.
    func claim(_ name: RemoteName, check: () throws -> Void) throws -> (any RemoteClaim)?

    /// Starts the upload of content on another thread and returns immediately.
    func offer(_ offer: RemoteUpload)

    /// Waits a limited time for pending uploads. Must be the last call.
    func close()
}

/// The answer of a remote.
public enum RemoteAnswer<Value> {
    case found(Value)
    case absent
    /// The content is damaged. The remote has already reported the damage.
    case damaged
    /// The request failed. The remote has already reported the failure.
    case failed
    /// No request was sent, because too many requests of this run have failed.
    case notAsked
}

/// The exclusive right to fetch or make content, among all machines.
public protocol RemoteClaim: AnyObject, Sendable {
    /// Releases the claim. Further calls do nothing.
    func release()
}

/// Content to upload to the remote.
public struct RemoteUpload: Sendable {
    public let document: RemoteDocument
    /// Opens the file with the bytes, and throws if the file no longer exists; nil if the bytes are in the document.
    public let open: (@Sendable () throws -> File)?
    /// Released after the transfer.
    public let claim: (any RemoteClaim)?
    /// Called with the outcome: for `found`, the number of uploaded bytes, which is 0 if the remote already had the
    /// content.
    public let done: @Sendable (RemoteAnswer<Int>) -> Void

    public init(
        _ document: RemoteDocument, claim: (any RemoteClaim)? = nil, open: (@Sendable () throws -> File)? = nil,
        done: @escaping @Sendable (RemoteAnswer<Int>) -> Void
    ) {
        self.document = document
        self.claim = claim
        self.open = open
        self.done = done
    }
}
