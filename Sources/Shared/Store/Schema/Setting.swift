/// The name of a text in the table `settings`, which belongs to the whole root.
enum Setting: String {
    /// The scope last switched to.
    case currentScope = "current_scope"
    /// The generation of scopes without a row.
    case firstGeneration = "first_generation"
    /// The boot of the machine in which the index was created or last rebuilt, at least in part.
    case boot
    /// Exists in an index that replaced a lost index, until a complete rebuild. Part of the index, so that a process that
    /// still uses the lost index cannot delete it.
    case lost
    /// The last folder completed by an unfinished rebuild; empty before the first. Deleted by a complete rebuild.
    case rebuilt
    /// The time of the last warning about the capacity, in milliseconds since 1970.
    case capacityWarnedAt = "capacity_warned_at"
}

extension Database {
    func setting(_ setting: Setting) throws -> String? {
        try first("SELECT value FROM settings WHERE name = ?1", Value(setting.rawValue)) { $0.string(0) }
    }

    /// Stores a setting, or deletes it if `value` is nil.
    func set(_ setting: Setting, to value: String?) throws {
        try run("DELETE FROM settings WHERE name = ?1", Value(setting.rawValue))
        guard let value else { return }
        try run("INSERT INTO settings (name, value) VALUES (?1, ?2)", Value(setting.rawValue), Value(value))
    }
}
