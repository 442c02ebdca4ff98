import Records
import Store
import Support

/// The details of an entry that `img-cache info` prints.
public struct EntryDetails: Sendable, Description {
    /// The state of the entry's file.
    public enum FileState: String, Sendable {
        case ok, missing
        case otherSize = "other-size"
        case otherContent = "other-content"
    }

    public let entry: Entry
    public let state: EntryState
    public let file: FileState
    public let variants: [Entry]

    /// Reads the file to compare its SHA-256. Throws `CacheFailure` if the index cannot be read.
    public init(_ entry: Entry, in cache: CacheStore) throws {
        self.entry = entry.clamped(to: .now())
        state = cache.state(of: entry)
        variants = try cache.variants(of: entry).map { $0.clamped(to: .now()) }
        if let facts = try cache.index.root.file(entry.place) {
            file =
                try facts.bytes != entry.bytes
                ? .otherSize : !cache.index.root.hasContent(of: entry) ? .otherContent : .ok
        } else {
            file = .missing
        }
    }

    public var json: JSON {
        .object([
            "key": entry.key.map(JSON.string), "scope": .string(entry.scope.text),
            "path": .text(ofPath: entry.path), "path_base64": .base64(ofPath: entry.path),
            "url": entry.url.map(JSON.string), "state": .string(state.rawValue), "file": .string(file.rawValue),
            "pinned": .bool(entry.isPinned), "bytes": .integer(entry.bytes),
            "content_type": .string(entry.contentType), "sha256": .string(entry.sha256),
            "width": entry.width.map(JSON.integer), "height": entry.height.map(JSON.integer),
            "fetched_at": .string(entry.fetchedAt.iso8601), "expires_at": .string(entry.expiresAt.iso8601),
            "last_used": .string(entry.lastUsed.iso8601), "lease_until": .string(entry.leaseUntil.iso8601),
            "etag": entry.validators.etag.map(JSON.string),
            "last_modified": entry.validators.lastModified.map(JSON.string),
            "variants": .array(variants.map(Self.json(of:))),
        ])
    }

    private static func json(of variant: Entry) -> JSON {
        .object([
            "path": .text(ofPath: variant.path), "path_base64": .base64(ofPath: variant.path),
            "bytes": .integer(variant.bytes), "content_type": .string(variant.contentType),
            "width": variant.width.map(JSON.integer), "height": variant.height.map(JSON.integer),
            "last_used": .string(variant.lastUsed.iso8601),
        ])
    }

    /// The details for a terminal, one per line.
    public var text: String {
        let now = Timestamp.now()
        var lines: [(String, String)] = []
        func add(_ name: String, _ value: String?) {
            if let value { lines.append((name, TerminalText.escaped(value))) }
        }
        func size(_ entry: Entry) -> String {
            let pixels = entry.width.flatMap { width in entry.height.map { ", \(width) x \($0) pixels" } } ?? ""
            return "\(ByteCount.description(entry.bytes)), \(entry.contentType)\(pixels)"
        }
        add("key", entry.key)
        add("scope", entry.scope.text)
        add("address", entry.url == entry.key ? nil : entry.url)
        add("file", entry.path + (file == .ok ? "" : " (\(file.rawValue))"))
        add("picture", size(entry))
        add("sha256", entry.sha256)
        add("state", state.rawValue + (entry.isPinned ? ", pinned" : ""))
        add("fetched", "\(entry.fetchedAt.iso8601) (\(TimeSpan.description(now - entry.fetchedAt)) ago)")
        let left = entry.expiresAt - now
        let distance = left > .zero ? "in \(TimeSpan.description(left))" : "\(TimeSpan.description(.zero - left)) ago"
        add(left > .zero ? "expires" : "expired", "\(entry.expiresAt.iso8601) (\(distance))")
        add("last used", entry.lastUsed.iso8601)
        add("lease ends", entry.leaseEnd(at: now) > now ? entry.leaseUntil.iso8601 : nil)
        add("etag", entry.validators.etag)
        add("modified", entry.validators.lastModified)
        for variant in variants { add("variant", "\(size(variant)), \(variant.path)") }
        return lines.map { name, value in "\(name.padded(to: 11))\(value)\n" }.joined()
    }
}
