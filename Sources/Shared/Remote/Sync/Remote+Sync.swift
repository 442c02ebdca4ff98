import HTTP
import Store
import Support

/// Operations of `RemoteSync`. They throw failures of the remote, which the other methods of `Remote` only log.
extension Remote {
    /// Uploads an entry unless the remote has it. Throws `RemoteFailure` and the storage's errors.
    func uploadNow(_ offer: RemoteUpload) throws -> SyncReport {
        let document = offer.document
        switch try self.document(of: document.name, atMost: RemoteDocument.byteLimit) {
        case .found(let found)
        where found.sha256 == document.sha256 && found.fetchedAt >= document.fetchedAt && isWhole(found):
            return SyncReport(there: 1)
        case .found, .absent, .damaged: break
        case .failed: return SyncReport(failed: 1)
        case .notAsked: throw hasFailed
        }
        do {
            guard let sent = try upload(offer) else { return SyncReport(gone: 1) }
            offer.done(.found(sent))
            return SyncReport(moved: 1, bytes: sent)
        } catch {
            offer.done(.failed)
            throw error
        }
    }

    /// The failure that ends a push or pull. The failures of the single requests were already logged.
    var hasFailed: RemoteFailure { .failed("the remote \(settings.address) cannot be used; try again later") }

    /// Whether the remote also has the content of a document.
    private func isWhole(_ document: RemoteDocument) -> Bool {
        guard let sha256 = document.sha256 else { return true }
        return (try? size(of: .content(sha256))) == document.count
    }

    /// Reads the list of a scope's entries in the remote. A missing or damaged list is empty; damage is logged. Throws
    /// `RemoteFailure` if the list cannot be read.
    func list(of scope: ScopeName) throws -> SyncList {
        switch try document(of: RemoteName(listOf: scope), atMost: RemoteDocument.byteLimit) {
        case .found(let document):
            let begun = SteadyTime.now()
            let sink = MemorySink()
            switch try content(of: document, byteLimit: SyncList.byteLimit, receive: sink.write) {
            case .found: break
            case .absent where document.count > SyncList.byteLimit: throw SyncList.tooLong
            case .absent:
                reportDamage(of: document, after: SteadyTime.now() - begun, "the content of the list is missing")
                return SyncList()
            case .damaged: return SyncList()
            case .failed, .notAsked: throw hasFailed
            }
            guard document.sha256.map({ $0 == SHA256.hex(of: sink.bytes) }) ?? true else {
                reportDamage(of: document, after: SteadyTime.now() - begun, "the list has a different SHA-256")
                return SyncList()
            }
            return SyncList(sink.bytes)
        case .absent, .damaged: return SyncList()
        case .failed, .notAsked: throw hasFailed
        }
    }

    func write(_ list: SyncList, for scope: ScopeName) throws {
        let bytes = list.text
        guard bytes.count <= SyncList.byteLimit else { throw SyncList.tooLong }
        let sha256 = SHA256.hex(of: bytes)
        try write(MemorySource(bytes), to: .content(sha256), lifetime: nil)
        let document = RemoteDocument(
            name: RemoteName(listOf: scope), subject: .list, content: .bytes(sha256: sha256, count: bytes.count),
            fetchedAt: .now(), expiresAt: nil)
        try write(MemorySource(document.encoded(key: settings.key)), to: .document(document.name), lifetime: nil)
    }
}
