import CacheTools
import Fetch
import Store
import Support

/// Formats GIFs as a table for a terminal, one line at a time, so that output begins immediately.
public struct GIFTable: Sendable {
    private let now: Timestamp

    public init(now: Timestamp) { self.now = now }

    public var heading: String { line("ID", ["PIXELS", "SIZE", "FRAMES", "AGE", "EXPIRES", "STATUS"]) }

    public func line(_ found: FoundEntry) -> String {
        let entry = found.entry
        let facts = (try? GIFFacts(of: entry)) ?? nil
        return line(
            entry.gif?.id.text ?? "-",
            [
                entry.gif?.resolution.description ?? "-", ByteCount.description(entry.bytes),
                facts.map { String($0.frames) } ?? "-", TimeSpan.description(now - entry.fetchedAt),
                entry.isPinned ? "pinned" : TimeSpan.description(entry.expiresAt - now), found.state.rawValue,
            ])
    }

    private func line(_ id: String, _ cells: [String]) -> String {
        // The ids of the service have four digits, and the ids of related products seven letters.
        let columns = zip(cells, [6, 8, 6, 5, 7, 11]).map { cell, width in "  " + cell.aligned(to: width) }
        return id.padded(to: 8) + columns.joined() + "\n"
    }
}
