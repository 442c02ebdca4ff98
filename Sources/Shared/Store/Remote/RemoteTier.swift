import Support

/// A storage that caches of many machines share, so that content need not be fetched or made again.
///
/// Its failures neither fail a run nor delay it for long: the answer is `failed`, and the caller continues without the
/// remote. All methods are thread-safe.
public protocol RemoteTier: Sendable {
    /// Whether content of this scope is read from the remote.
    func reads(_ scope: ScopeName) -> Bool

    /// Whether content of this scope is offered to the remote.
    func writes(_ scope: ScopeName) -> Bool

    /// Returns a document. Throws `Cancelled`.
    ///
    /// - Parameter byteLimit: the maximum stored size of the document.
    func document(of name: RemoteName, atMost byteLimit: Int) throws -> RemoteAnswer<RemoteDocument>

    /// Passes the bytes of a document to `receive`. They have the size in the document, but may be damaged: the caller
    /// compares the digest. Throws `Cancelled`, and the errors of `receive`.
    func content(of document: RemoteDocument, receive: (RawSpan) throws -> Void) throws -> RemoteAnswer<Void>

    /// Reports that bytes do not match their document, so that the next `offer` replaces them.
    ///
    /// - Parameter span: the duration of the read.
    func reportDamage(of document: RemoteDocument, after span: Duration, _ reason: String)

    /// Waits for a claim to fetch or make content, among all machines that share the remote. Returns nil if the remote
    /// does not support claims or does not answer, or if the run has waited long enough. Throws `Cancelled` and the
    /// errors of `check`.
    ///
    /// - Parameter check: called several times a second while another machine has the claim.
    func claim(_ name: RemoteName, check: () throws -> Void) throws -> (any RemoteClaim)?

    /// Transfers content on another thread, and returns immediately.
    func offer(_ offer: RemoteOffer)

    /// Waits a limited time for pending transfers. Nothing can be offered afterwards.
    func close()
}

/// The answer of a remote.
public enum RemoteAnswer<Value> {
    case found(Value)
    case absent
    /// The content cannot be used, which was reported.
    case damaged
    /// The request failed, which was reported.
    case failed
    /// No request was sent, because too many requests of this run have failed.
    case notAsked
}

/// The exclusive right to fetch or make content, among all machines.
public protocol RemoteClaim: AnyObject, Sendable {
    /// Releases the claim. Further calls do nothing.
    func release()
}

/// Content for the remote.
public struct RemoteOffer: Sendable {
    public let document: RemoteDocument
    /// Opens the file with the bytes; nil if they are in the document. Throws if the file is gone.
    public let open: (@Sendable () throws -> File)?
    /// Released after the transfer.
    public let claim: (any RemoteClaim)?
    /// Receives the number of transferred bytes, 0 if the remote had them already.
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
