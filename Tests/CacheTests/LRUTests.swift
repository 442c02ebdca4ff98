import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

@Suite struct LRUTests {
    @Test func leastRecentlyUsedValueIsRemoved() {
        var values = LRU<Int>(countLimit: 2, costLimit: 100)
        values.insert(1, for: "a", cost: 1)
        values.insert(2, for: "b", cost: 1)
        #expect(values.use("a") == 1)
        values.insert(3, for: "c", cost: 1)

        #expect(values.keys == ["c", "a"])
        #expect(values.use("b") == nil)
    }

    @Test func costlyValueEvictsSeveralValues() {
        var values = LRU<Int>(countLimit: 10, costLimit: 10)
        for (number, name) in ["a", "b", "c"].enumerated() { values.insert(number, for: name, cost: 3) }
        values.insert(9, for: "d", cost: 7)

        #expect(values.keys == ["d", "c"])
        #expect(values.cost == 10)
    }

    @Test func valueAboveTheLimitIsNotStored() {
        var values = LRU<Int>(countLimit: 10, costLimit: 10)
        values.insert(1, for: "a", cost: 4)
        values.insert(2, for: "b", cost: 4)
        values.insert(3, for: "b", cost: 11)

        #expect(values.keys == ["a"])
        #expect(values.cost == 4)
    }

    @Test(arguments: [(0, 100), (-1, 100), (5, -1)])
    func zeroOrNegativeLimitStoresNothing(_ count: Int, _ cost: Int) {
        var values = LRU<Int>(countLimit: count, costLimit: cost)
        values.insert(1, for: "a", cost: 0)

        #expect(values.count == 0)
        #expect(values.use("a") == nil)
    }

    /// Compares the cache with a plain list that drops its last elements.
    @Test func cacheHasTheSameValuesAsAPlainList() {
        var random = SystemRandomNumberGenerator()
        var values = LRU<Int>(countLimit: 7, costLimit: 30)
        var list: [(key: String, value: Int, cost: Int)] = []
        for step in 0..<5000 {
            let key = String(Int.random(in: 0..<12, using: &random))
            let known = list.firstIndex { $0.key == key }
            if Bool.random(using: &random) {
                let expected = known.map { list.remove(at: $0) }
                if let expected { list.insert(expected, at: 0) }
                #expect(values.use(key) == expected?.value)
            } else {
                let cost = Int.random(in: 0..<34, using: &random)
                if let known { list.remove(at: known) }
                values.insert(step, for: key, cost: cost)
                if cost <= 30 {
                    list.insert((key, step, cost), at: 0)
                    while list.count > 7 || list.reduce(0, { $0 + $1.cost }) > 30 { list.removeLast() }
                }
            }
            #expect(values.keys == list.map(\.key))
            #expect(values.cost == list.reduce(0) { $0 + $1.cost })
            #expect(values.count == list.count)
        }
    }

    @Test func keysAreComparedByTheirBytes() {
        var values = LRU<Int>(countLimit: 4, costLimit: 10)
        values.insert(1, for: "caf\u{E9}", cost: 1)
        #expect(values.use("cafe\u{301}") == nil)
        values.insert(2, for: "cafe\u{301}", cost: 1)
        #expect(values.use("caf\u{E9}") == 1 && values.use("cafe\u{301}") == 2)
        // This text is the internal representation of "café", not the key "café".
        #expect(values.use("\u{1}63 61 66 c3 a9") == nil)
    }
}
