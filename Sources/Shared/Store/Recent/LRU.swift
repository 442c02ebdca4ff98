/// A least-recently-used cache, limited by the number and total cost of its values. All operations take constant time.
///
/// Keys are compared byte by byte, but stored as `String`: the runtime lookup of another type's `Hashable` conformance,
/// such as `BinaryText`'s, took half a percent of the start-up time.
package struct LRU<Value: Sendable>: Sendable {
    private struct Node {
        let key: String
        var value: Value
        var cost: Int
        /// The indices of the next more and less recently used nodes; -1 at the ends.
        var newer: Int
        var older: Int
    }

    let countLimit: Int
    let costLimit: Int
    /// The total cost of all values.
    private(set) var cost = 0
    /// The nodes, without gaps: the last node moves to the index of a removed node.
    private var nodes: [Node] = []
    private var places: [String: Int] = [:]
    private var newest = -1
    private var oldest = -1

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
    package var values: [Value] { nodes.map { $0.value } }

    /// The keys, the most recently used first.
    var keys: [String] {
        var keys: [String] = []
        var place = newest
        while place >= 0 {
            keys.append(nodes[place].key)
            place = nodes[place].older
        }
        return keys
    }

    /// Returns the value of this key, which becomes the most recently used.
    package mutating func use(_ key: String) -> Value? {
        guard let place = places[Self.exact(key)] else { return nil }
        if place != newest {
            unlink(place)
            linkAsNewest(place)
        }
        return nodes[place].value
    }

    /// Inserts or replaces a value. A value whose cost exceeds the limit is not stored, and the old value is removed.
    ///
    /// - Parameter cost: at least 0.
    /// - Returns: the replaced value, and the evicted values, the least recently used first.
    @discardableResult
    package mutating func insert(_ value: Value, for key: String, cost: Int) -> [Value] {
        var gone: [Value] = []
        if let place = places[Self.exact(key)] { gone.append(remove(at: place)) }
        guard countLimit > 0, cost <= costLimit else { return gone }
        while nodes.count >= countLimit || self.cost > costLimit - cost { gone.append(remove(at: oldest)) }
        nodes.append(Node(key: key, value: value, cost: cost, newer: -1, older: -1))
        places[Self.exact(key)] = nodes.count - 1
        self.cost += cost
        linkAsNewest(nodes.count - 1)
        return gone
    }

    private mutating func remove(at place: Int) -> Value {
        unlink(place)
        let value = nodes[place].value
        cost -= nodes[place].cost
        places[Self.exact(nodes[place].key)] = nil
        let last = nodes.removeLast()
        guard place < nodes.count else { return value }
        nodes[place] = last
        places[Self.exact(last.key)] = place
        if last.newer >= 0 { nodes[last.newer].older = place } else { newest = place }
        if last.older >= 0 { nodes[last.older].newer = place } else { oldest = place }
        return value
    }

    private mutating func linkAsNewest(_ place: Int) {
        nodes[place].newer = -1
        nodes[place].older = newest
        if newest >= 0 { nodes[newest].newer = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (nodes[place].newer, nodes[place].older)
        if newer >= 0 { nodes[newer].older = older } else { newest = older }
        if older >= 0 { nodes[older].newer = newer } else { oldest = newer }
    }
}
