import Store

/// The names of all that a scope has in the remote, as a text with a line each: what kind of thing it is, and its name.
struct SyncList: Equatable {
    /// Originals come before what is made of them.
    private enum Kind: Character, CaseIterable {
        case original = "o"
        case variant = "v"
        case metadata = "m"
    }

    /// Room for four million names, which are held in memory.
    static let byteLimit = 268_000_000

    static let tooLong = RemoteFailure.failed(
        "the list of what the remote has is too long; share in several scopes (remote_scopes)")

    private var lines: Set<String> = []

    var count: Int { lines.count }

    init() {}

    /// Reads what `text` has; other lines are passed over.
    init(_ bytes: [UInt8]) {
        lines = Set(
            String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
                Self.name(line) == nil ? nil : String(line)
            })
    }

    /// The names of each kind, those first which others need.
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
