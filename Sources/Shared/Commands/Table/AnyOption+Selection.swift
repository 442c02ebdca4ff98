import Options
import Store
import Support

extension AnyOption {
    public static let olderThan = Option.time(
        "older-than", .selection, such: "7d", summary: "Only entries fetched longer ago than this.")
    public static let newerThan = Option.time(
        "newer-than", .selection, such: "1h", summary: "Only entries fetched within this time.")
    public static let unusedFor = Option.time(
        "unused-for", .selection, such: "30d", summary: "Only entries that were not used for this long.")
    public static let size = Option<SizeBound>(
        "size", synonyms: ["larger-than", "smaller-than", "larger", "smaller"], form: .value("+SIZE|-SIZE"),
        expected: "+ or - and a size, such as +10MB or -10MB", group: .selection, repeats: true,
        summary: "Only larger (+10MB) or smaller (-10MB) files.",
        manual: "Two bounds select a range.", read: SizeBound.init)
    public static let expired = Option.flag("expired", .selection, summary: "Only expired entries.")
    public static let pinned = Option.flag("pinned", .selection, summary: "Only pinned entries.")

    public static let sort = Option<EntryOrder>(
        "sort", synonyms: ["reverse"], form: .value("KEY"),
        expected: "size, age, used or url, with a minus sign for the reverse order (-size)",
        completion: .words(sortKeys + sortKeys.map { "-\($0)" }), group: .selection,
        summary: "Sort by size, age, used or url; -size reverses.",
        manual: "The largest, oldest or longest unused entry is first. A minus sign reverses the order."
    ) { text in
        let isReversed = text.hasPrefix("-")
        return EntryOrder.Key(rawValue: isReversed ? String(text.dropFirst()) : text).map {
            EntryOrder($0, reversed: isReversed)
        }
    }

    private static let sortKeys = EntryOrder.Key.allCases.map(\.rawValue)

    public static let table = Option.flag("table", summary: "Write a table even to a pipe or file.")

    public static let match = Option<AddressPattern>(
        "match", synonyms: ["host"], form: .value("PATTERN"),
        expected: "a glob or a part of an address (1 to 4096 bytes, no control characters)", group: .selection,
        summary: "Only keys and addresses that match a text or glob.",
        manual: """
            A text matches any part. In a glob, * matches any characters and ? a single character: \
            'https://example.org/*' matches all addresses of a host.
            """, read: AddressPattern.init)

    public static let kind = Option<Set<EntryFilter.Kind>>(
        "kind", synonyms: ["variants"], form: .value("KINDS"),
        expected: kinds.list(before: "or"), completion: .list(kinds), group: .selection,
        summary: "Only entries of these kinds: original, variant, placeholder or superseded.",
        manual: """
            Separate several kinds by commas. A placeholder replaces a missing GIF, and a superseded entry was \
            replaced while it was in use.
            """, print: { kinds in kinds.map(\.rawValue).sorted().joined(separator: ",") }
    ) { text in
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        let kinds = words.compactMap { EntryFilter.Kind(rawValue: String($0)) }
        return kinds.count == words.count ? Set(kinds) : nil
    }.defaulting(to: [.original])

    private static let kinds = EntryFilter.Kind.allCases.map(\.rawValue)
}

extension Arguments {
    /// The order of `--sort`, or nil without it.
    public var order: EntryOrder? { self[.sort] }

    /// The conditions that the options of the command line set.
    public var filter: EntryFilter {
        var filter = EntryFilter()
        filter.olderThan = self[.olderThan]
        filter.newerThan = self[.newerThan]
        filter.unusedFor = self[.unusedFor]
        for bound in all(.size) {
            if bound.isMinimum { filter.largerThan = bound.bytes } else { filter.smallerThan = bound.bytes }
        }
        filter.pattern = self[.match]
        filter.isExpired = self[.expired]
        filter.isPinned = self[.pinned]
        filter.kinds = self[.kind]
        return filter
    }
}

extension [AnyOption] {
    /// The conditions that apply to both pictures and GIFs.
    public static let conditions: [AnyOption] = [.olderThan, .newerThan, .unusedFor, .size, .expired]
}

/// A value of `--size`, such as `+10MB` or `-10MB`.
public struct SizeBound: Sendable {
    /// Whether files must be larger than `bytes`, rather than smaller.
    let isMinimum: Bool
    let bytes: Int

    /// Returns nil if the sign is missing or the size is invalid.
    init?(_ text: String) {
        guard let sign = text.first, "+-".contains(sign), let bytes = ByteCount.parse(String(text.dropFirst())) else {
            return nil
        }
        isMinimum = sign == "+"
        self.bytes = bytes
    }
}
