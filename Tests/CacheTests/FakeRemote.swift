import Support

@testable import Store

/// An in-memory remote that the caches of several roots share. Offered entries are available immediately.
final class FakeRemote: RemoteTier {
    struct State {
        var documents: [RemoteName: RemoteDocument] = [:]
        var contents: [String: [UInt8]] = [:]
        var asked = 0
        var damage: [String] = []
        /// Whether every query fails.
        var fails = false
        /// The names that are claimed.
        var claimed: Set<RemoteName> = []
        var claimsAreGiven = false
    }

    let state = Monitor(State())

    func reads(_ scope: ScopeName) -> Bool { scope == .standard }
    func writes(_ scope: ScopeName) -> Bool { scope == .standard }

    func document(of name: RemoteName, atMost byteLimit: Int) -> RemoteAnswer<RemoteDocument> {
        state.withLock { state in
            state.asked += 1
            if state.fails { return .failed }
            return state.documents[name].map { .found($0) } ?? .absent
        }
    }

    func content(of document: RemoteDocument, receive: (RawSpan) throws -> Void) throws -> RemoteAnswer<Void> {
        guard let bytes = state.withLock({ $0.contents[document.sha256 ?? ""] }) else { return .absent }
        try receive(bytes.span.bytes)
        return .found(())
    }

    func reportDamage(of document: RemoteDocument, after span: Duration, _ reason: String) {
        state.withLock { $0.damage.append(reason) }
    }

    func claim(_ name: RemoteName, check: () throws -> Void) throws -> (any RemoteClaim)? {
        guard state.withLock({ $0.claimsAreGiven }) else { return nil }
        while state.wait(atMost: .milliseconds(20), for: { $0.claimed.insert(name).inserted ? true : nil }) == nil {
            try check()
        }
        return Claim(self, name)
    }

    final class Claim: RemoteClaim {
        private let remote: FakeRemote
        private let name: RemoteName

        init(_ remote: FakeRemote, _ name: RemoteName) { (self.remote, self.name) = (remote, name) }

        func release() { remote.state.update { _ = $0.claimed.remove(name) } }
    }

    func offer(_ offer: RemoteUpload) {
        let bytes = (try? offer.open?()).flatMap { file in try? file?.bytes(0..<(file?.count ?? 0)) }
        state.withLock { state in
            if let bytes, let sha256 = offer.document.sha256 { state.contents[sha256] = bytes }
            state.documents[offer.document.name] = offer.document
        }
        offer.claim?.release()
        offer.done(.found(bytes?.count ?? 0))
    }

    func close() {}
}
