import HTTP
import Store
import Support

/// The settings of a run for its remote.
public struct RemoteSettings: Sendable, Equatable {
    public enum Mode: String, Sendable, CaseIterable {
        case read, write, both
    }

    /// Time limits, all derived from `connect`.
    public struct Timeouts: Sendable, Equatable {
        public let connect: Duration
        /// The maximum time until the first byte of an answer.
        public var answer: Duration { connect * 4 }
        /// The window in which the minimum rate is measured.
        public var stall: Duration { connect * 8 }
        /// The total time that the records of a run may wait for requests that fail, find nothing or return damaged
        /// data. Also limits each operation that delays a record.
        public var patience: Duration { connect * 16 }
        /// The total time that a run may wait for claims of other machines.
        public var claims: Duration { connect * 100 }
        /// A miss within this time is not counted as lost time. For a document that is found, the limit is `connect`.
        public var free: Duration { connect / 5 }

        /// The minimum rate of a transfer, in bytes per second.
        public static let leastRate = 32 << 10

        public init(connect: Duration) { self.connect = connect }

        /// The time limit of an operation that delays no record: `patience` plus the time that the bytes take at the
        /// minimum rate.
        func deadline(bytes: Int) -> Duration { patience + .seconds(bytes / Self.leastRate) }
    }

    /// The minimum length of a signing key in bytes: 128 bits.
    public static let leastKey = 16

    public var address: RemoteAddress
    public var mode: Mode
    public var scopes: RemoteScopes
    public var timeouts: Timeouts
    /// Whether using the remote is the purpose of the run. Time spent waiting for the remote is then not lost time.
    public var isPatient = false
    /// The maximum time that `Remote.close` waits for uploads.
    public var wait: Duration
    /// Extra header fields of each request.
    public var headers: [HTTPHeader] = []
    /// The signing key of documents; nil for unsigned documents.
    public var key: [UInt8]?
    /// A PEM file with the certificates to trust instead of the system's.
    public var certificates: String?
    /// The maximum size of an entry's content in bytes.
    public var byteLimit = ByteCount.largestPicture

    public init(_ address: RemoteAddress, mode: Mode, scopes: RemoteScopes, connect: Duration, wait: Duration) {
        self.address = address
        self.mode = mode
        self.scopes = scopes
        timeouts = Timeouts(connect: connect)
        self.wait = wait
    }
}

/// The scopes that the remote shares.
public struct RemoteScopes: Sendable, Equatable, CustomStringConvertible {
    /// Nil for all scopes.
    public let names: [ScopeName]?

    /// Only the scope `default`: sharing another scope needs the user's consent.
    public static let standard = RemoteScopes(names: [.standard])

    private init(names: [ScopeName]?) { self.names = names }

    /// Parses a comma-separated list of names; `*` stands for all scopes. Throws `CacheFailure` for a bad name.
    public init(_ text: String) throws {
        names = text == "*" ? nil : try text.split(separator: ",").map { try ScopeName(String($0)) }
    }

    public var description: String { names?.map(\.text).joined(separator: ",") ?? "*" }

    public func contains(_ scope: ScopeName) -> Bool { names?.contains(scope) ?? true }
}
