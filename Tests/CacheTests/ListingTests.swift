import HTTP
import Libc
import Records
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Listing, removal by filters, pinning, and entry details.
@Suite struct ListingTests {
    private let world: Surroundings
    init() throws { world = try Surroundings() }

    private func keys(
        _ cache: CacheStore, inAllScopes: Bool = false, _ change: (inout EntryFilter) -> Void
    ) throws -> [String] {
        var filter = EntryFilter()
        change(&filter)
        var listing = try cache.entries(filter, inAllScopes: inAllScopes)
        var keys: [String] = []
        while let entry = try listing.next() { keys.append(entry.key ?? "?") }
        return keys.sorted()
    }

    @Test func filtersApplyToAllPages() throws {
        let cache = try world.cache()
        for number in 0..<600 { _ = try cache.store(MemorySource(picture(number)), key: key("\(number)")) }
        _ = try world.cache(scope: "alice").store(MemorySource(picture(1, bytes: 900)), key: key("moon"))

        #expect(try keys(cache) { _ in }.count == 600)
        #expect(try keys(cache) { $0.pattern = AddressPattern("59?") }.count == 10)
        #expect(try keys(cache) { $0.largerThan = 500 } == [])
        #expect(try keys(cache, inAllScopes: true) { $0.largerThan = 500 } == ["moon"])
    }

    @Test(arguments: [
        ("moon", 0, EntryState.fresh), ("moon", 99, .fresh), ("moon", 100, .expired),
        // The clock was set back by an hour after the download.
        ("moon", -3600, .expired),
        ("gif-placeholder:dumbbell;v1", 0, .placeholder), ("gif-placeholder:dumbbell;v1", 100, .placeholder),
        ("my-gif-placeholder:x", 0, .fresh),
    ])
    func stateOfAnEntryDependsOnItsKeyAndAge(_ name: String, _ seconds: Int, _ state: EntryState) throws {
        let cache = try world.cache { $0.ttl = .seconds(100) }
        let (entry, _) = try cache.store(MemorySource(picture()), key: key(name))
        #expect(entry.state(at: world.time.now + .seconds(seconds)) == state)
        #expect(cache.state(of: entry) == entry.state(at: world.time.now))
    }

    // MARK: Sorting

    /// Four pictures that sort differently by size, age, last use and address.
    private func fourPictures() throws -> CacheStore {
        let cache = try world.cache()
        for (name, bytes) in [("d", 300), ("b", 500), ("a", 300), ("c", 100)] {
            _ = try cache.store(MemorySource(picture(bytes, bytes: bytes)), key: key(name))
            world.time.advance(.seconds(1000))
        }
        for name in ["a", "c", "d", "b"] {
            _ = try cache.lookup(key(name))
            world.time.advance(.seconds(1000))
        }
        try cache.index.flush(now: world.time.now)
        return cache
    }

    private func listed(_ cache: CacheStore, by order: EntryOrder, inAllScopes: Bool = false) throws -> String {
        var listing = try cache.entries(EntryFilter(), inAllScopes: inAllScopes, order: order)
        var keys = ""
        while let entry = try listing.next() { keys += entry.key ?? "?" }
        return keys
    }

    @Test(arguments: [
        (EntryOrder.Key.size, "bdac", "cadb"), (.age, "dbac", "cabd"), (.used, "acdb", "bdca"), (.url, "abcd", "dcba"),
    ])
    func entriesAreSortedInBothDirections(_ key: EntryOrder.Key, _ forward: String, _ backward: String) throws {
        let cache = try fourPictures()
        #expect(try listed(cache, by: EntryOrder(key)) == forward)
        #expect(try listed(cache, by: EntryOrder(key, reversed: true)) == backward)
    }

    @Test func sortingCoversAllScopes() throws {
        let cache = try fourPictures()
        for (name, bytes) in [("x", 400), ("y", 50)] {
            _ = try world.cache(scope: "alice").store(MemorySource(picture(bytes, bytes: bytes)), key: key(name))
        }
        #expect(try listed(cache, by: EntryOrder(.size)) == "bdac")
        #expect(try listed(cache, by: EntryOrder(.size), inAllScopes: true) == "bxdacy")
        _ = try cache.scopes.purge(cache.scope)
        #expect(try listed(cache, by: EntryOrder(.size), inAllScopes: true) == "xy")
    }

    /// Some batches end between entries of equal size.
    @Test(arguments: [1, 2, 7, 600], EntryOrder.Key.allCases)
    func orderDoesNotDependOnTheBatchSize(_ batch: Int, _ criterion: EntryOrder.Key) throws {
        let cache = try world.cache()
        for number in 0..<30 {
            _ = try cache.store(MemorySource(picture(number, bytes: 100 + number % 3)), key: key("\(number)"))
        }
        for isReversed in [false, true] {
            let order = EntryOrder(criterion, reversed: isReversed)
            let rows = try cache.scopeRows(inAllScopes: false)
            var cursor = SortedCursor(rows, by: order, hash: nil, batch: batch)
            var found: [Entry] = []
            while let next = try cursor.next(cache.index) { found.append(next.entry) }
            #expect(Set(found.map(\.name)).count == 30)
            #expect(zip(found, found.dropFirst()).allSatisfy { !order.precedes($1, $0) })
        }
    }

    @Test func entriesRemovedDuringAListingAreSkipped() throws {
        let cache = try fourPictures()
        var cursor = SortedCursor(
            try cache.scopeRows(inAllScopes: false), by: EntryOrder(.url), hash: cache.scope.hash, batch: 2)
        #expect(try cursor.next(cache.index)?.entry.key == "a")
        for name in ["b", "c"] { _ = try cache.remove(try #require(try cache.peek(key(name)))) }
        #expect(try cursor.next(cache.index)?.entry.key == "b")
        #expect(try cursor.next(cache.index)?.entry.key == "d")
        #expect(try cursor.next(cache.index) == nil)
    }

    @Test func listingDoesNotUpdateTheLastUse() throws {
        let cache = try world.cache()
        let entry = try cache.store(MemorySource(picture(1)), key: key("moon")).entry
        world.time.advance(.seconds(5000))

        _ = try keys(cache) { _ in }
        _ = try cache.peek(key("moon"))

        #expect(try cache.row(entry.name) == entry)
        #expect(try cache.statistics()[.hits] == 0)
    }

    @Test func removalByFilterKeepsPinnedEntries() throws {
        let cache = try world.cache()
        for number in 0..<300 { _ = try cache.store(MemorySource(picture(number, bytes: 100)), key: key("\(number)")) }
        _ = try cache.setPinned(try #require(try cache.peek(key("7"))), true)
        var filter = EntryFilter()
        filter.smallerThan = 101

        let planned = try cache.remove(filter, dryRun: true)
        #expect(try cache.statistics().entries == 300)
        let done = try cache.remove(filter)

        #expect(planned == done)
        #expect(done.removal == EntrySum(entries: 299, bytes: 29_900) && done.pinned == 1)
        #expect(try keys(cache) { _ in } == ["7"])
        #expect(world.files("scopes").count == 1)
        #expect(try cache.remove(filter, sparesPinned: false).removal.entries == 1)
        #expect(try keys(cache) { _ in } == [])
    }

    @Test func pinSurvivesTrimmingAndReplacement() throws {
        let cache = try world.cache(capacity: 3000, lease: .zero)
        let first = try cache.store(MemorySource(picture(0, bytes: 1000)), key: key("moon")).entry
        #expect(try cache.setPinned(first, true)?.isPinned == true)
        for number in 1..<10 {
            world.time.advance(.seconds(100))
            _ = try cache.store(MemorySource(picture(number, bytes: 1000)), key: key("\(number)"))
        }

        #expect(try cache.lookup(key("moon")) != nil)
        #expect(try cache.store(MemorySource(picture(77, bytes: 999)), key: key("moon")).entry.isPinned)
        #expect(try cache.setPinned(try #require(try cache.peek(key("moon"))), false)?.isPinned == false)
    }

    /// The removal deletes the old entry. The download, which is not finished yet, then stores the new entry.
    @Test func removalDuringADownloadOfTheKeyKeepsTheNewEntry() throws {
        let cache = try world.cache()
        let server = FakeServer(picture(1, bytes: 5000))
        let request = try HTTPRequest("https://pictures.example/moon.gif")
        _ = try cache.fetch(request, client: world.client(server))
        world.time.advance(.seconds(86_400 * 30))
        server.hold()
        let other = try world.cache()
        let client = world.client(server)
        let fetched = Monitor<CacheStatus?>(nil)
        let download = try Thread.start {
            let status = try? other.fetch(request, client: client).status
            fetched.update { $0 = status }
        }
        server.waitUntilHolding()

        let removal = try cache.remove(try #require(try cache.peek(CacheKey(url: request.url))))
        server.release()
        download.join()

        #expect(fetched.withLock { $0 } == .miss)
        #expect(removal == EntrySum(entries: 1, bytes: 5000))
        #expect(try cache.lookup(CacheKey(url: request.url)) != nil)
        #expect(world.files("scopes").count == 1)
    }

    @Test func entryDetailsReportDamageToTheFile() throws {
        let cache = try world.cache()
        let entry = try cache.store(MemorySource(picture(1, bytes: 100)), key: key("moon")).entry
        func state() throws -> EntryDetails.FileState { try EntryDetails(entry, in: cache).file }
        #expect(try state() == .ok)
        let file = try File.open(entry.path, O_WRONLY)
        lseek(file.descriptor, 90, SEEK_SET)
        try file.write([0, 0, 0])
        #expect(try state() == .otherContent)
        truncate(entry.path, 5)
        #expect(try state() == .otherSize)
        unlink(entry.path)
        #expect(try state() == .missing)
    }

    @Test func tableFitsTheTerminalAndEscapesControlCharacters() throws {
        let cache = try world.cache()
        let name = "https://example.org/\u{202E}" + String(repeating: "x", count: 200) + ".gif"
        let entry = try cache.store(MemorySource(picture(1, bytes: 1234)), key: key(name)).entry
        let table = EntryTable(width: 100, showsScope: true, now: world.time.now + .seconds(7200))

        let line = table.line(entry, .fresh)

        // Long addresses are shortened in the middle.
        #expect(line.count == 101 && line.hasSuffix("x.gif\n") && line.contains("…"))
        #expect(line.hasPrefix("  1.2 kB     2h      13d        fresh          1x1  default       https://example."))
        let wide = EntryTable(width: 200, showsScope: true, now: world.time.now).line(entry, .fresh)
        #expect(wide.contains("\\u{202e}"))
        #expect(table.heading.count <= 86)
        let whole = EntryTable(width: nil, showsScope: true, now: world.time.now).line(entry, .fresh)
        #expect(
            whole.hasSuffix(
                "  default       https://example.org/\\u{202e}" + String(repeating: "x", count: 200) + ".gif\n"))
    }
}
