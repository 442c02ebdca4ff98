/// Where pictures are stored, if at all.
public enum Policy: String, Sendable, CaseIterable {
    /// On the disk.
    case enabled
    /// Outside the cache, in an ephemeral file that is deleted after its lease.
    case disabled
    /// In memory, never on the disk.
    case memory

    /// Describes valid values, for error messages.
    public static let expected = "enabled, disabled or memory"
}

/// Chooses the policy for an address: the policy of the first rule whose pattern matches, or else the standard policy.
public struct Policies: Sendable {
    public struct Rule: Sendable {
        public let pattern: AddressPattern
        public let policy: Policy

        /// Parses `PATTERN=POLICY`, divided at the last `=`, because addresses contain `=`.
        public init?(_ text: String) {
            guard let equals = text.lastIndex(of: "=") else { return nil }
            self.init(pattern: String(text[..<equals]), policy: String(text[text.index(after: equals)...]))
        }

        public init?(pattern: String, policy: String) {
            guard let pattern = AddressPattern(pattern), let policy = Policy(rawValue: policy) else { return nil }
            self.pattern = pattern
            self.policy = policy
        }

        /// Describes valid rules, for error messages.
        public static let expected = "an address pattern and a policy such as '*/private/*=disabled'"
    }

    public var standard: Policy
    public var rules: [Rule]

    public init(standard: Policy = .enabled, rules: [Rule] = []) {
        self.standard = standard
        self.rules = rules
    }

    /// - Parameter address: in its normal form (`WebURL.normalized`), or a `file` address. Not evaluated if there are
    ///   no rules.
    public func policy(for address: @autoclosure () throws -> String) rethrows -> Policy {
        try rule(for: address())?.policy ?? standard
    }

    /// The first rule that matches an address.
    public func rule(for address: @autoclosure () throws -> String) rethrows -> Rule? {
        if rules.isEmpty { return nil }
        let address = try address()
        return rules.first { $0.pattern.matches(address) }
    }
}
