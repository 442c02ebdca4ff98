import Support

/// A place behind this cache that the caches of many machines share: what it has need not be fetched or made again.
///
/// Nothing that goes wrong there fails a run or keeps it waiting for long: the answer is `failed`, and the caller goes
/// on as if there were no remote. All calls may come from any number of threads.
public protocol RemoteTier: Sendable {
    /// Whether things of this scope are looked for in the remote.
    func reads(_ scope: ScopeName) -> Bool

    /// Whether things of this scope are handed over to the remote.
    func writes(_ scope: ScopeName) -> Bool

    /// Returns the document of a thing. Throws `Cancelled`.
    ///
    /// - Parameter byteLimit: how long the document may be as it is stored.
    func document(of name: RemoteName, atMost byteLimit: Int) throws -> RemoteAnswer<RemoteDocument>

    /// Passes the bytes that a document is about to `receive`. They have the document's size, but may be damaged: the
    /// caller compares the digest. Throws `Cancelled`, and what `receive` throws.
    func content(of document: RemoteDocument, receive: (RawSpan) throws -> Void) throws -> RemoteAnswer<Void>

    /// Reports that the bytes of a document do not match it, so that the next `offer` replaces them.
    ///
    /// - Parameter span: how long it took to read.
    func reportDamage(of document: RemoteDocument, after span: Duration, _ reason: String)

    /// Waits for the right to fetch or make a thing, among all machines that share the remote. Nil if the remote has no
    /// such right to give, does not answer, or if the run has waited long enough. Throws `Cancelled` and what `check`
    /// throws.
    ///
    /// - Parameter check: called several times a second while another machine has the right.
    func claim(_ name: RemoteName, check: () throws -> Void) throws -> (any RemoteClaim)?

    /// Hands a thing over, on a thread of the remote's: returns at once.
    func offer(_ offer: RemoteOffer)

    /// Waits a while until everything is handed over, and gives up the rest. Nothing can be offered afterwards.
    func close()
}

/// What came of a question to the remote.
public enum RemoteAnswer<Value> {
    case found(Value)
    case absent
    /// What there is cannot be used, and was reported.
    case damaged
    /// It failed, and was reported.
    case failed
    /// The remote was not asked, as it has failed too often in this run.
    case notAsked
}

/// The right to fetch or make a thing alone, among all machines.
public protocol RemoteClaim: AnyObject, Sendable {
    /// Gives it back. Calling it again does nothing.
    func release()
}

/// Something that the remote should get.
public struct RemoteOffer: Sendable {
    public let document: RemoteDocument
    /// Opens the file of the document's bytes; nil if the document holds all there is. Throws if the file is gone.
    public let open: (@Sendable () throws -> File)?
    /// Given back when the thing is there.
    public let claim: (any RemoteClaim)?
    /// Is told what came of it: how many bytes were sent, 0 if the remote had them already.
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
