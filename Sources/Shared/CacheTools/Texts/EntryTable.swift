import Store
import Support

/// Formats entries as a table, line by line, so that output begins immediately. Escapes text from records and servers.
/// If the width is limited, the address gets the remaining columns and is cut in the middle, because its host and file
/// name are the most useful parts.
public struct EntryTable: Sendable {
    private let width: Int?
    private let showsScope: Bool
    private let now: Timestamp

    /// - Parameter width: the width of the terminal, or nil for a file or a pipe.
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

    /// Returns the address of an entry. For the GIF of an exercise, returns the key, which is more useful.
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
        // If little room is left, let the terminal wrap the line rather than cut the address to nothing.
        let room = max(24, width - TerminalText.columns(line))
        return line + TerminalText.cut(middleOf: address, toColumns: room) + "\n"
    }
}

/// Padding for table cells in which each character takes one column.
extension String {
    public func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    /// Aligns the text to the right.
    public func aligned(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
