import Store
import Support

/// Entries as a table, a line each, so that a long one begins to show at once. Text from outside is escaped. If the
/// width is limited, the address takes what the other columns leave, and is cut in its middle: server and name tell
/// most.
public struct EntryTable: Sendable {
    private let width: Int?
    private let showsScope: Bool
    private let now: Timestamp

    /// - Parameter width: the columns of the terminal; nil to cut nothing, as in a file or a pipe.
    public init(width: Int?, showsScope: Bool, now: Timestamp) {
        self.width = width
        self.showsScope = showsScope
        self.now = now
    }

    private static let scopeWidth = 12

    public var heading: String {
        line(["SIZE", "AGE", "EXPIRES", "STATUS", "PIXELS"], scope: "SCOPE", address: "ADDRESS")
    }

    public func line(_ entry: Entry, _ state: EntryState) -> String {
        let pixels = entry.width.flatMap { width in entry.height.map { "\(width)x\($0)" } } ?? "-"
        return line(
            [
                ByteCount.description(entry.bytes), TimeSpan.description(now - entry.fetchedAt),
                entry.isPinned ? "pinned" : TimeSpan.description(entry.expiresAt - now), state.rawValue, pixels,
            ],
            scope: TerminalText.escaped(entry.scope.text),
            address: TerminalText.escaped(Self.address(of: entry)))
    }

    /// The address of a GIF of an exercise says less than its key.
    private static func address(of entry: Entry) -> String {
        if let key = entry.key, CacheKey.isOfTool(key) { return key }
        return entry.url ?? entry.key ?? entry.path
    }

    private func line(_ cells: [String], scope: String, address: String) -> String {
        var line = zip(cells, [8, 5, 7, 11, 11]).map { cell, width in cell.aligned(to: width) + "  " }.joined()
        if showsScope {
            let shown = width == nil ? scope : TerminalText.cut(scope, toColumns: Self.scopeWidth).text
            line += shown + String(repeating: " ", count: max(0, Self.scopeWidth - TerminalText.columns(shown)) + 2)
        }
        guard let width else { return line + address + "\n" }
        // Where hardly anything is left, a line that wraps is better than one that says nothing.
        let room = max(24, width - TerminalText.columns(line))
        return line + TerminalText.cut(middleOf: address, toColumns: room) + "\n"
    }
}
