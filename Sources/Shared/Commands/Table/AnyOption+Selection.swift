import Fetch
import Options
import Store
import Support

/// Conditions that select entries.
extension AnyOption {
    public static let olderThan = Option.time(
        "older-than", .selection, such: "7d", summary: "Only what was fetched longer ago, such as 7d.")
    public static let newerThan = Option.time(
        "newer-than", .selection, such: "1h", summary: "Only what was fetched since then, such as 1h.")
    public static let unusedFor = Option.time(
        "unused-for", .selection, such: "30d", summary: "Only what was not used for this long, such as 30d.")
    public static let largerThan = Option.size(
        "larger-than", .selection, such: "1MB", summary: "Only larger files, such as 1MB.")
    public static let smallerThan = Option.size(
        "smaller-than", .selection, such: "1MB", summary: "Only smaller files.")
    public static let expired = Option.flag("expired", .selection, summary: "Only what has expired.")
    public static let pinned = Option.flag("pinned", .selection, summary: "Only what is pinned.")

    public static let sort = Option<EntryOrder.Key>.case(
        "sort", "KEY", .selection,
        summary: "Order by size (largest first), age (oldest first), used (longest unused first) or url.")
    public static let reverse = Option.flag("reverse", .selection, summary: "Turn the order of --sort round.")

    public static let table = Option.flag("table", summary: "Write a table, into a pipe or file too.")

    public static let host = Option<HostPattern>(
        "host", form: .value("NAME"), expected: "a host such as example.org", group: .selection,
        summary: "Only pictures of this host; .example.org takes those below too.", read: { try HostPattern($0) })

    public static let match = Option<AddressPattern>(
        "match", form: .value("PATTERN"), expected: "a part of an address or a glob", group: .selection,
        summary: "Only keys and addresses that contain this, or that a glob with * and ? matches.",
        read: AddressPattern.init)

    public static let kind = Option<EntryFilter.Kind>.case(
        "kind", "KIND", .selection, default: "original",
        summary: "original, variant, placeholder (of a GIF), or superseded: replaced while it was in use.")
}

extension Arguments {
    /// The order that the options ask for; nil if they ask for none.
    public var order: EntryOrder? { self[.sort].map { EntryOrder($0, reversed: self[.reverse]) } }

    /// The entries that the conditions select.
    public var filter: EntryFilter {
        var filter = EntryFilter()
        filter.olderThan = self[.olderThan]
        filter.newerThan = self[.newerThan]
        filter.unusedFor = self[.unusedFor]
        filter.largerThan = self[.largerThan]
        filter.smallerThan = self[.smallerThan]
        filter.host = self[.host]
        filter.pattern = self[.match]
        filter.isExpired = self[.expired]
        filter.isPinned = self[.pinned]
        if let kind = self[.kind] { filter.kinds = [kind] }
        return filter
    }
}

extension [AnyOption] {
    /// The conditions for all kinds of pictures.
    public static let conditions: [AnyOption] = [
        .olderThan, .newerThan, .unusedFor, .largerThan, .smallerThan, .expired,
    ]
}
