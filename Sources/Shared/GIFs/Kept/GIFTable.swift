import Fetch
import Store
import Support
import Tools

/// GIFs as a table for a terminal, a line each, so that a long one begins to show at once.
public struct GIFTable: Sendable {
    private let now: Timestamp

    public init(now: Timestamp) { self.now = now }

    public var heading: String { line("ID", ["PIXELS", "SIZE", "FRAMES", "AGE", "EXPIRES", "STATUS"]) }

    public func line(_ kept: KeptGIF) -> String {
        let entry = kept.entry
        return line(
            kept.gif.id.text,
            [
                kept.gif.resolution.description, ByteCount.description(entry.bytes),
                kept.facts.map { String($0.frames) } ?? "-", TimeSpan.description(now - entry.fetchedAt),
                entry.isPinned ? "pinned" : TimeSpan.description(entry.expiresAt - now), kept.status.rawValue,
            ])
    }

    private func line(_ id: String, _ cells: [String]) -> String {
        // The service's ids have four digits, those of its sister products seven letters.
        var line = id + String(repeating: " ", count: max(0, 8 - id.count))
        for (cell, width) in zip(cells, [6, 8, 6, 5, 7, 6]) {
            line += "  " + String(repeating: " ", count: max(0, width - cell.count)) + cell
        }
        return line + "\n"
    }
}
