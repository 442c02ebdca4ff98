import Support

/// The name of a file past the cache.
struct BypassName: Equatable {
    let end: Timestamp
    let token: String
    let fileExtension: String

    static let partial = "part"

    package init(end: Timestamp, token: String, fileExtension: String) {
        self.end = end
        self.token = token
        self.fileExtension = fileExtension
    }

    /// Nil for a name that none of ours has.
    package init?(_ name: String) {
        guard let dash = name.firstIndex(of: "-"), let dot = name.lastIndex(of: "."), dash < dot,
            let end = Int64(name[..<dash]), end >= 0
        else { return nil }
        token = String(name[name.index(after: dash)..<dot])
        fileExtension = String(name[name.index(after: dot)...])
        guard token.utf8.count == 32, token.utf8.allSatisfy("0123456789abcdef".utf8.contains) else { return nil }
        self.end = Timestamp(milliseconds: end)
    }

    package func path(in folder: String) -> String { "\(folder)/\(max(0, end.milliseconds))-\(token).\(fileExtension)" }
}
