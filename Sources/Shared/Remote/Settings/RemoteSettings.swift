import HTTP
import Store
import Support

/// How one run uses a remote.
public struct RemoteSettings: Sendable, Equatable {
    public enum Mode: String, Sendable, CaseIterable {
        case read, write, both
    }

    /// Time limits, all of which follow from `connect`.
    public struct Timeouts: Sendable, Equatable {
        public let connect: Duration
        /// The time until the first byte of an answer.
        public var answer: Duration { connect * 4 }
        /// The window in which the least rate is measured.
        public var stall: Duration { connect * 8 }
        /// The time that all records of a run together may lose by waiting for answers that fail, are damaged or find
        /// nothing. It also limits each operation that a record waits for.
        public var patience: Duration { connect * 16 }
        /// The time that a run may wait in total for other machines that have claims.
        public var claims: Duration { connect * 100 }
        /// A miss within this time does not count as lost. A document may take `connect`.
        public var free: Duration { connect / 5 }

        /// The least rate of a transfer, in bytes per second.
        public static let leastRate = 32 << 10

        public init(connect: Duration) { self.connect = connect }

        /// The time limit of an operation that no record waits for.
        func deadline(bytes: Int) -> Duration { patience + .seconds(bytes / Self.leastRate) }
    }

    /// The least number of bytes of a signing key: 128 bits.
    public static let leastKey = 16

    public var address: RemoteAddress
    public var mode: Mode
    public var scopes: RemoteScopes
    public var timeouts: Timeouts
    /// Whether the purpose of the run is to use the remote, so waiting for it is not lost time.
    public var isPatient = false
    /// The time that the end of a run waits for uploads.
    public var wait: Duration
    /// Extra header fields of each request.
    public var headers: [HTTPHeader] = []
    /// The signing key of documents; nil for unsigned documents.
    public var key: [UInt8]?
    /// A PEM file with the certificates to trust instead of the system's.
    public var certificates: String?
    /// The most bytes of a content.
    public var byteLimit = ByteCount.largestPicture

    public init(_ address: RemoteAddress, mode: Mode, scopes: RemoteScopes, connect: Duration, wait: Duration) {
        self.address = address
        self.mode = mode
        self.scopes = scopes
        timeouts = Timeouts(connect: connect)
        self.wait = wait
    }
}

/// The scopes that are shared.
public struct RemoteScopes: Sendable, Equatable, CustomStringConvertible {
    /// Nil for all.
    public let names: [ScopeName]?

    /// The scope `default` alone: sharing another scope needs consent.
    public static let standard = RemoteScopes(names: [.standard])

    private init(names: [ScopeName]?) { self.names = names }

    /// Parses a comma-separated list of names; `*` stands for all scopes. Throws `CacheFailure` for a bad name.
    public init(_ text: String) throws {
        names = text == "*" ? nil : try text.split(separator: ",").map { try ScopeName(String($0)) }
    }

    public var description: String { names?.map(\.text).joined(separator: ",") ?? "*" }

    public func contains(_ scope: ScopeName) -> Bool { names?.contains(scope) ?? true }
}
