import Support

/// Cached failures. Rows are identified by the key's name and the SHA-256 of the address, because a key may have
/// several addresses.
extension Index {
    static let selectNegative =
        "SELECT code, message, exit, since, until FROM negatives"
        + " WHERE scope = \(liveScope) AND name = ?2 AND address = ?3"
    static let insertNegative = """
        INSERT OR REPLACE INTO negatives (scope, name, address, code, message, exit, since, until)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        """
    static let dropExpiredNegatives =
        "DELETE FROM negatives WHERE id IN (SELECT id FROM negatives WHERE until <= ?1 LIMIT ?2)"
    static let hasNegatives = "SELECT 1 FROM negatives WHERE scope = \(liveScope) AND name = ?2 LIMIT 1"
    static let dropLiveNegatives = "DELETE FROM negatives WHERE scope = \(liveScope) AND name = ?2"
    /// `?1` is the row ID of the scope, read in the same transaction.
    static let dropNegatives = "DELETE FROM negatives WHERE scope = ?1 AND name = ?2"

    /// The number of expired rows deleted per insertion: at least two, so that these rows do not accumulate, but few,
    /// so that an insertion is fast.
    private static let expiredPerInsert = 8

    /// Returns the cached failure of an address, unless it has expired.
    package func negative(
        _ name: String, in scope: ScopeName, address: String, now: Timestamp
    ) throws -> NegativeAnswer? {
        try perform { try $0.negative(name, in: scope, address: address, now: now) }
    }

    /// Saves a failure and deletes up to `expiredPerInsert` expired failures.
    package func remember(
        _ answer: NegativeAnswer, _ name: String, in scope: ScopeName, address: String, now: Timestamp
    ) throws {
        try write(now: now) { connection in
            let database = connection.database
            try database.run(Self.dropExpiredNegatives, Value(now), Value(Self.expiredPerInsert))
            try database.run(
                Self.insertNegative, Value(try connection.makeScope(scope)), Value(name), Value(address),
                Value(answer.code), Value(answer.text), Value(Int(answer.exitCode.rawValue)), Value(answer.since),
                Value(answer.until))
        }
    }

    /// Deletes the cached failures and the recorded copies of a key. Writes nothing if there are none.
    func forget(_ name: String, in scope: ScopeName, now: Timestamp) throws {
        let isKnown = try perform { connection in
            try [Self.hasNegatives, Self.hasCopies].contains {
                try connection.database.has($0, Value(scope.hash), Value(name))
            }
        }
        guard isKnown else { return }
        try write(now: now) { connection in
            guard let scopeID = try connection.live(scope).id else { return }
            try connection.database.run(Self.dropNegatives, Value(scopeID), Value(name))
            try connection.database.run(Self.dropCopies, Value(scopeID), Value(name))
        }
    }

    func countNegatives(of scope: ScopeName? = nil) throws -> Int {
        try first("SELECT COUNT(*) FROM negatives WHERE \(Self.isOfScope)", nil, Value(scope?.text)) { $0.int(0) } ?? 0
    }

    /// Deletes the cached failures, or only the expired failures, of a scope or of all scopes. Returns their number.
    func forgetNegatives(of scope: ScopeName?, expiredOnly: Bool, now: Timestamp) throws -> Int {
        try write(now: now) { connection in
            try connection.database.run(
                "DELETE FROM negatives WHERE until <= ?1 AND \(Self.isOfScope)",
                Value(expiredOnly ? now : Timestamp(milliseconds: .max)), Value(scope?.text))
        }
    }

    private static let isOfScope = "(?2 IS NULL OR scope IN \(liveScopes(named: "?2")))"
}

extension Index.Connection {
    package func negative(
        _ name: String, in scope: ScopeName, address: String, now: Timestamp
    ) throws -> NegativeAnswer? {
        let found = try database.first(
            Index.selectNegative, Value(scope.hash), Value(name), Value(address)
        ) { row in
            NegativeAnswer(
                code: row.string(0), exitCode: ExitCode(rawValue: Int32(row.int(2))) ?? .unavailable,
                text: row.string(1), since: row.timestamp(3), until: row.timestamp(4))
        }
        return found.flatMap { $0.holds(at: now) ? $0 : nil }
    }
}

/// Rate limits and other refusals of servers, shared by all scopes of a root.
extension Index {
    static let selectQuota = "SELECT state FROM quotas WHERE name = ?1 AND changed_at BETWEEN ?2 AND ?3"
    static let writeQuota = "INSERT INTO quotas (name, state, changed_at) VALUES (?1, ?2, ?3)"
    static let dropQuotas = "DELETE FROM quotas WHERE name = ?1 OR changed_at NOT BETWEEN ?2 AND ?3"

    /// Rows expire after a day, because a server that still refuses requests will repeat its refusal. Rows from the
    /// future are invalid, because the clock was set back.
    private static func bounds(_ now: Timestamp) -> (oldest: Value, newest: Value) {
        (Value(now - .seconds(86_400)), Value(now + Clock.tolerance))
    }

    package func quota(_ name: String, now: Timestamp) throws -> String? {
        let bounds = Self.bounds(now)
        return try first(Self.selectQuota, Value(name), bounds.oldest, bounds.newest) { $0.string(0) }
    }

    /// Saves the state of a server, or deletes its row if `state` is nil.
    package func keepQuota(_ state: String?, _ name: String, now: Timestamp) throws {
        let bounds = Self.bounds(now)
        try write(now: now, isQuiet: true) { connection in
            try connection.database.run(Self.dropQuotas, Value(name), bounds.oldest, bounds.newest)
            if let state { try connection.database.run(Self.writeQuota, Value(name), Value(state), Value(now)) }
        }
    }
}
