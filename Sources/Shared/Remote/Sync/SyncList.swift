import Store

/// The list of a scope's entries in a remote. Each line is a kind, a space and a name.
struct SyncList: Equatable {
    /// Originals come before their variants.
    private enum Kind: Character, CaseIterable {
        case original = "o"
        case variant = "v"
        case metadata = "m"
    }

    /// Enough for four million names, which are all held in memory.
    static let byteLimit = 268_000_000

    static let tooLong = RemoteFailure.failed(
        "the remote's list of entries is too long; share several smaller scopes (remote_scopes)")

    private var lines: Set<String> = []

    init() {}

    /// Reads a list and ignores invalid lines.
    init(_ bytes: [UInt8]) {
        lines = Set(
            String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
                Self.name(line) == nil ? nil : String(line)
            })
    }

    /// The names by kind, originals before the variants that need them.
    var groups: [[RemoteName]] {
        Kind.allCases.map { kind in
            lines.filter { $0.first == kind.rawValue }.sorted().compactMap { Self.name($0[...]) }
        }
    }

    var text: [UInt8] { Array(lines.sorted().map { $0 + "\n" }.joined().utf8) }

    mutating func insert(_ document: RemoteDocument) {
        let kind: Kind? =
            switch document.subject {
            case .original: .original
            case .variant: .variant
            case .metadata: .metadata
            case .list: nil
            }
        if let kind { lines.insert("\(kind.rawValue) \(document.name.digest)") }
    }

    private static func name(_ line: Substring) -> RemoteName? {
        guard let first = line.first, Kind(rawValue: first) != nil, line.dropFirst().first == " " else { return nil }
        return RemoteName(digest: String(line.dropFirst(2)))
    }
}
