import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Selection of entries by filter options.
@Suite struct SelectionTests {
    @Test func everyConditionMustBeMet() throws {
        let world = try Surroundings()
        let cache = try world.cache { $0.ttl = .seconds(3600) }
        let entry = try cache.store(
            MemorySource(picture(1, bytes: 500)), key: key("https://example.org/moon.gif"),
            url: "https://example.org/moon.gif"
        ).entry
        let later = world.time.now + .seconds(1800)
        func accepts(at now: Timestamp = later, _ change: (inout EntryFilter) -> Void) -> Bool {
            var filter = EntryFilter()
            change(&filter)
            return filter.accepts(entry, now: now)
        }

        #expect(accepts { _ in })
        #expect(accepts { $0.olderThan = .seconds(1799) } && !accepts { $0.olderThan = .seconds(1800) })
        #expect(accepts { $0.newerThan = .seconds(1801) } && !accepts { $0.newerThan = .seconds(1800) })
        #expect(accepts { $0.unusedFor = .seconds(60) } && !accepts { $0.unusedFor = .seconds(3600) })
        #expect(accepts { $0.largerThan = 499 } && !accepts { $0.largerThan = 500 })
        #expect(accepts { $0.smallerThan = 501 } && !accepts { $0.smallerThan = 500 })
        #expect(!accepts { $0.isExpired = true })
        #expect(accepts(at: world.time.now + .seconds(3600)) { $0.isExpired = true })
        #expect(!accepts { $0.isPinned = true })
        #expect(!accepts { $0.kinds = [.variant] })
        #expect(!accepts { $0.kinds = [.placeholder] })
        #expect(accepts { $0.keyPrefix = "https://" } && !accepts { $0.keyPrefix = "moon" })
        #expect(accepts { $0.keySuffix = ".gif" } && !accepts { $0.keySuffix = ".png" })
        #expect(accepts { $0.pattern = AddressPattern("*moon*") } && !accepts { $0.pattern = AddressPattern("mars") })
        #expect(
            !accepts {
                $0.largerThan = 499
                $0.pattern = AddressPattern("mars")
            })
    }
}
