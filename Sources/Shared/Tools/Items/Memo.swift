import Support

/// What was made of a value before, so that it need not be made again for the next record that has it: a stream often
/// names the same pictures again and again. Forgets all once there is much of it.
final class Memo<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let values = Monitor<[Key: Value]>([:])
    /// A page of records or two: little memory, and hardly ever too few.
    private let limit = 1024

    /// Returns the value of this key, made by `make` if it is not known. Throws what `make` throws.
    func value(of key: Key, make: () throws -> Value) rethrows -> Value {
        if let known = values.withLock({ $0[key] }) { return known }
        let made = try make()
        values.withLock { values in
            if values.count >= limit { values.removeAll() }
            values[key] = made
        }
        return made
    }
}
