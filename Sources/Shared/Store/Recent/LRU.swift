/// A least-recently-used cache, limited by the number and total cost of its values.
///
/// Keys are compared byte by byte, but stored as `String`: the runtime lookup of another type's `Hashable` conformance,
/// such as `BinaryText`'s, took half a percent of the start-up time.
package struct LRU<Value: Sendable>: Sendable {
    private struct Node {
        let key: String
        let value: Value
        let cost: Int
        /// The number of the last use.
        var use: Int
    }

    let countLimit: Int
    let costLimit: Int
    /// The total cost of all values.
    private(set) var cost = 0
    private var nodes: [String: Node] = [:]
    /// All uses, the earliest first. Entries other than the last use of a key are skipped, and dropped when they are the
    /// majority, so that an operation takes constant time on average.
    private var uses: ArraySlice<(name: String, use: Int)> = []
    private var lastUse = 0

    /// If the count limit is 0 or a limit is negative, nothing is stored.
    package init(countLimit: Int, costLimit: Int) {
        self.countLimit = countLimit
        self.costLimit = costLimit
    }

    var count: Int { nodes.count }

    /// Maps a key to a text, such that texts are equal only if the bytes of the keys are equal. `String` compares by
    /// canonical equivalence; ASCII texts need no mapping.
    private static func exact(_ key: String) -> String {
        if key.utf8.first != 1, key.utf8.allSatisfy({ $0 < 0x80 }) { return key }
        return "\u{1}" + key.utf8.map { String($0, radix: 16) }.joined(separator: " ")
    }

    /// The values, unordered.
    package var values: [Value] { nodes.values.map(\.value) }

    /// The keys, the most recently used first.
    var keys: [String] { nodes.values.sorted { $0.use > $1.use }.map(\.key) }

    /// Returns the value of this key, which becomes the most recently used.
    package mutating func use(_ key: String) -> Value? {
        let name = Self.exact(key)
        guard let place = nodes.index(forKey: name) else { return nil }
        if nodes.values[place].use != lastUse {
            let use = noteUse(name)
            nodes.values[place].use = use
        }
        return nodes.values[place].value
    }

    /// Inserts or replaces a value. A value whose cost exceeds the limit is not stored, and the old value is removed.
    ///
    /// - Parameter cost: at least 0.
    package mutating func insert(_ value: Value, for key: String, cost: Int) {
        let name = Self.exact(key)
        remove(name)
        guard countLimit > 0, cost <= costLimit else { return }
        while nodes.count >= countLimit || self.cost > costLimit - cost, let (name, use) = uses.popFirst() {
            if nodes[name]?.use == use { remove(name) }
        }
        nodes[name] = Node(key: key, value: value, cost: cost, use: noteUse(name))
        self.cost += cost
    }

    private mutating func remove(_ name: String) { cost -= nodes.removeValue(forKey: name)?.cost ?? 0 }

    private mutating func noteUse(_ name: String) -> Int {
        if uses.count > 2 * nodes.count + 16 { uses = uses.filter { nodes[$0.name]?.use == $0.use }[...] }
        lastUse += 1
        uses.append((name, lastUse))
        return lastUse
    }
}
