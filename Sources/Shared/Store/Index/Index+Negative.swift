import Support

/// Failures that are remembered: rows of their own beside the entries, found by the key's name and the SHA-256 of the
/// address, since several addresses may stand for one key.
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
    /// Within a transaction, by the scope's number.
    static let dropNegatives = "DELETE FROM negatives WHERE scope = ?1 AND name = ?2"

    /// How many expired rows go at each new one: more than come, so that they never pile up, and few enough to cost
    /// nothing.
    private static let expiredPerInsert = 8

    /// What is remembered of an address; nil if that is nothing, or over.
    package func negative(_ name: String, in scope: ScopeName, address: String, now: Timestamp) throws
        -> NegativeAnswer?
    {
        try perform { try $0.negative(name, in: scope, address: address, now: now) }
    }

    /// Remembers a failure, and forgets some whose time is over.
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

    /// Forgets the failures and copies of a key. Writes nothing if there are none.
    func forget(_ name: String, in scope: ScopeName, now: Timestamp) throws {
        let isKnown = try perform { connection in
            try [Self.hasNegatives, Self.hasCopies].contains {
                try connection.database.first($0, Value(scope.hash), Value(name)) { _ in true } ?? false
            }
        }
        guard isKnown else { return }
        try write(now: now) { connection in
            guard let scopeID = try connection.live(scope).id else { return }
            try connection.database.run(Self.dropNegatives, Value(scopeID), Value(name))
            try connection.database.run(Self.dropCopies, Value(scopeID), Value(name))
        }
    }

    /// How many failures are remembered, those whose time is over among them.
    func countNegatives(of scope: ScopeName? = nil) throws -> Int {
        try perform { connection in
            try connection.database.first(
                "SELECT COUNT(*) FROM negatives WHERE \(Self.isOfScope)", nil, Value(scope?.text)
            ) { $0.int(0) } ?? 0
        }
    }

    /// Forgets failures of one scope or of all: those whose time is over, or all. Returns how many there were.
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
    /// See `Index.negative`.
    package func negative(_ name: String, in scope: ScopeName, address: String, now: Timestamp) throws
        -> NegativeAnswer?
    {
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
