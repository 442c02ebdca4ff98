import Cache
import Support

/// Conditions that say which entries are meant, as a command declares them.
public protocol FilterArguments {
    var olderThan: String? { get }
    var newerThan: String? { get }
    var unusedFor: String? { get }
    var largerThan: String? { get }
    var smallerThan: String? { get }
    var host: String? { get }
    var match: String? { get }
    var expired: Bool { get }
    var pinned: Bool { get }
    var kind: String? { get }
}

/// As if the option were not given.
extension FilterArguments {
    public var host: String? { nil }
    public var match: String? { nil }
    public var kind: String? { nil }
}

extension FilterArguments {
    /// Throws `UsageFailure`.
    public func filter() throws -> EntryFilter {
        var filter = EntryFilter()
        filter.olderThan = try value("older-than", olderThan, "a time such as 7d", TimeSpan.parse)
        filter.newerThan = try value("newer-than", newerThan, "a time such as 1h", TimeSpan.parse)
        filter.unusedFor = try value("unused-for", unusedFor, "a time such as 30d", TimeSpan.parse)
        filter.largerThan = try value("larger-than", largerThan, "a size such as 1MB", ByteCount.parse)
        filter.smallerThan = try value("smaller-than", smallerThan, "a size such as 1MB", ByteCount.parse)
        filter.host = try value("host", host, "a host such as example.org", HostPattern.init)
        filter.pattern = try value("match", match, "a part of an address or a glob", AddressPattern.init)
        filter.isExpired = expired
        filter.isPinned = pinned
        if let kind = try value("kind", kind, "original, variant or superseded", Entry.Kind.init(name:)) {
            filter.kinds = [kind]
        }
        return filter
    }

    private func value<Value>(
        _ name: String, _ text: String?, _ expected: String, _ parse: (String) -> Value?
    ) throws -> Value? {
        guard let text else { return nil }
        guard let value = parse(text) else { throw UsageFailure("--\(name) takes \(expected), not \"\(text)\"") }
        return value
    }
}
