/// Where pictures are kept.
public enum Policy: String, Sendable, CaseIterable {
    /// On the disk.
    case enabled
    /// Nowhere: the file lies past the cache for as long as its lease runs, and nothing remembers it.
    case disabled
    /// In a memory-backed folder, never on the disk.
    case memory

    /// What a good value looks like, for the message about a bad one.
    public static let expected = "enabled, disabled or memory"
}

/// Which policy goes for which address: that of the first rule whose pattern matches, else the standard one.
public struct Policies: Sendable {
    public struct Rule: Sendable {
        public let pattern: AddressPattern
        public let policy: Policy

        /// Reads `PATTERN=POLICY`; the last `=` counts, since addresses have them too. Nil for anything else.
        public init?(_ text: String) {
            guard let equals = text.lastIndex(of: "=") else { return nil }
            self.init(pattern: String(text[..<equals]), policy: String(text[text.index(after: equals)...]))
        }

        public init?(pattern: String, policy: String) {
            guard let pattern = AddressPattern(pattern), let policy = Policy(rawValue: policy) else { return nil }
            self.pattern = pattern
            self.policy = policy
        }

        /// What a good rule looks like, for the message about a bad one.
        public static let expected = "an address pattern and a policy such as '*/private/*=disabled'"
    }

    public var standard: Policy
    public var rules: [Rule]

    public init(standard: Policy = .enabled, rules: [Rule] = []) {
        self.standard = standard
        self.rules = rules
    }

    /// - Parameter address: in its normal form (`WebURL.normalized`), or a `file` address; asked for only where there
    ///   are rules.
    public func policy(for address: @autoclosure () throws -> String) rethrows -> Policy {
        try rule(for: address())?.policy ?? standard
    }

    /// The rule that decides about an address; nil if none matches.
    public func rule(for address: @autoclosure () throws -> String) rethrows -> Rule? {
        if rules.isEmpty { return nil }
        let address = try address()
        return rules.first { $0.pattern.matches(address) }
    }
}
