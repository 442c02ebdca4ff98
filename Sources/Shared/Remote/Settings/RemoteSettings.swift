import HTTP
import Store
import Support

/// How one run uses a remote.
public struct RemoteSettings: Sendable, Equatable {
    /// What is done with it.
    public enum Mode: String, Sendable, CaseIterable {
        case read, write, both
    }

    /// How long it may keep a run waiting. All times follow from the first.
    public struct Timeouts: Sendable, Equatable {
        /// Until there is a connection.
        public let connect: Duration
        /// Until the first byte of an answer.
        public var answer: Duration { connect * 4 }
        /// The time in which bytes must pass at the least rate.
        public var stall: Duration { connect * 8 }
        /// The time that all records of a run together may lose by waiting for answers that fail, are damaged or bring
        /// nothing. It is also the time limit of each operation that a record waits for.
        public var patience: Duration { connect * 16 }
        /// The time that a run may wait in all for other machines that have leases.
        public var leases: Duration { connect * 100 }
        /// The time within which an answer that brings nothing does not count as lost. A document may take `connect`.
        public var free: Duration { connect / 5 }

        /// The fewest bytes per second of a transfer.
        public static let leastRate = 32 << 10

        public init(connect: Duration = .milliseconds(250)) { self.connect = connect }

        /// The time limit of an operation that no record waits for.
        func deadline(bytes: Int) -> Duration { patience + .seconds(bytes / Self.leastRate) }
    }

    /// The fewest bytes of a key: 128 bits.
    public static let leastKey = 16

    public var address: RemoteAddress
    public var mode = Mode.both
    public var scopes = RemoteScopes.standard
    public var timeouts = Timeouts()
    /// Whether the run is about the remote, so that time spent waiting for it is not lost.
    public var isPatient = false
    /// How long the end of a run waits until everything is handed over.
    public var wait: Duration = .seconds(5)
    /// What is sent with each request to a server.
    public var headers: [HTTPHeader] = []
    /// What documents are signed with; nil for unsigned ones.
    public var key: [UInt8]?
    /// A PEM file with the certificates to trust instead of the system's.
    public var certificates: String?
    /// The most bytes that one thing may have.
    public var byteLimit = HTTPRequest.defaultByteLimit

    public init(_ address: RemoteAddress) { self.address = address }
}

/// The scopes that are shared.
public struct RemoteScopes: Sendable, Equatable {
    /// Nil for all.
    public let names: [ScopeName]?

    /// The scope `default`, which nobody had to name.
    public static let standard = RemoteScopes(names: [.standard])

    private init(names: [ScopeName]?) { self.names = names }

    /// Reads names with commas between them; `*` is all scopes. Throws `CacheFailure` for a bad name.
    public init(_ text: String) throws {
        names = text == "*" ? nil : try text.split(separator: ",").map { try ScopeName(String($0)) }
    }

    public func contains(_ scope: ScopeName) -> Bool { names?.contains(scope) ?? true }
}
