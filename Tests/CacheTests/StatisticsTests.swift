import HTTP
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Counters and their output formats.
struct StatisticsTests {
    private let world: Surroundings

    init() throws { world = try Surroundings() }

    private func request(_ name: String) throws -> HTTPRequest { try HTTPRequest("https://example.org/\(name)") }

    // MARK: Misses

    @Test func everyMissHasOneReason() throws {
        let server = FakeServer { _, number in FakeServer.Answer(body: picture(number)) }
        let client = world.client(server)
        let cache = try world.cache()
        _ = try cache.fetch(request("a"), client: client)
        world.time.advance(.seconds(15 * 86_400))
        _ = try cache.fetch(request("a"), client: client)
        // A refresh does not fetch an entry again that is as new as the request, so a second must pass first.
        world.time.advance(.seconds(1))
        _ = try world.cache { $0.refreshes = true }.fetch(request("a"), client: client)
        Surroundings.removeTree(world.root + "/scopes")
        _ = try cache.fetch(request("a"), client: client)
        #expect(try cache.lookup(key("nothing")) == nil)
        let statistics = try cache.statistics()
        #expect(statistics[.misses] == 5)
        #expect(statistics[.missesAbsent] == 2)
        #expect(statistics[.missesExpired] == 1)
        #expect(statistics[.missesRefresh] == 1)
        #expect(statistics[.missesLost] == 1 && statistics[.healed] == 1)
    }

    @Test func lookupOfALostFileIsCounted() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture(1)), key: key("a"))
        Surroundings.removeTree(world.root + "/scopes")
        #expect(try cache.lookup(key("a")) == nil)
        #expect(try cache.statistics()[.missesLost] == 1)
    }

    @Test func replacingAnEntryCountsAnExpiredMiss() throws {
        let cache = try world.cache()
        for seed in [1, 2, 2] { _ = try cache.store(MemorySource(picture(seed)), key: key("a")) }
        let statistics = try cache.statistics()
        #expect(statistics[.missesAbsent] == 1 && statistics[.missesExpired] == 1 && statistics[.misses] == 2)
        #expect(statistics[.hits] == 1 && statistics[.stored] == 2)
        #expect(statistics[.bytesWritten] == 2 * picture().count)
    }

    @Test func removedEntriesAreCountedWithTheirBytes() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture(1)), key: key("a"))
        try cache.remove(key("a"))
        try cache.remove(key("a"))
        #expect(try cache.statistics()[.removed] == 1)
        #expect(try cache.statistics()[.bytesRemoved] == picture().count)
    }

    // MARK: Pinned and leased entries

    @Test func statisticsReportPinnedAndLeasedEntries() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture(1)), key: key("a"))
        world.time.advance(.seconds(3600))
        _ = try cache.store(MemorySource(picture(2)), key: key("b"))
        let one = EntrySum(entries: 1, bytes: picture().count)
        #expect(try cache.statistics().leased == one)
        #expect(try cache.statistics().pinned == EntrySum())
        try cache.index.perform { try $0.database.execute("UPDATE entries SET pinned = 1 WHERE key = 'a'") }
        let statistics = try cache.statistics()
        #expect(statistics.pinned == one && statistics.leased == one)
        #expect(statistics.heldBytes == 2 * picture().count)
        // As in trimming, a lease from before the clock was set back is ignored.
        world.time.advance(.zero - .seconds(3 * 86_400))
        #expect(try cache.statistics().leased == EntrySum())
    }

    @Test func purgedEntriesAreNeitherPinnedNorLeased() throws {
        _ = try world.cache(scope: "kept").store(MemorySource(picture(1)), key: key("a"))
        let cache = try world.cache(scope: "purged")
        _ = try cache.store(MemorySource(picture(2)), key: key("b"))
        _ = try cache.scopes.purge(ScopeName("purged"))
        let statistics = try cache.statistics()
        #expect(statistics.entries == 1 && statistics.leased.entries == 1 && statistics.pinned == EntrySum())
    }

    // MARK: Zeroing

    @Test func zeroingAffectsOneScopeOnly() throws {
        for name in ["one", "two"] {
            _ = try world.cache(scope: name).store(MemorySource(picture(1)), key: key("a"))
        }
        world.time.advance(.seconds(60))
        let cache = try world.cache(scope: "one")
        var told: Statistics?
        try cache.zeroStatistics(scope: ScopeName("one")) { told = $0 }
        #expect(told?.scopes.map(\.name) == ["one"] && told?[.stored] == 1)
        let after = try cache.statistics().scopes
        #expect(after.map { $0[.stored] } == [0, 1])
        #expect(after.map(\.entries) == [1, 1])
        #expect(after[0].since == world.time.now && after[1].since == world.time.now - .seconds(60))
        try cache.zeroStatistics { _ in }
        #expect(try cache.statistics()[.stored] == 0)
    }

    @Test func statisticsAreNotZeroedIfTheirOutputFails() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture(1)), key: key("a"))
        #expect(throws: SystemFailure.self) {
            try cache.zeroStatistics { _ in throw SystemFailure(errno: 28, "write it") }
        }
        #expect(try cache.statistics()[.stored] == 1)
    }

    @Test func concurrentCountsAreExact() throws {
        _ = try world.cache().store(MemorySource(picture(1)), key: key("a"))
        let told = Monitor(0)
        let results = try together(4) { [world] number in
            let cache = try world.cache()
            for _ in 0..<50 {
                if number == 0 {
                    try cache.zeroStatistics { statistics in told.withLock { $0 += statistics[.hits] } }
                } else {
                    _ = try cache.lookup(key("a"))
                    _ = try cache.statistics()
                }
            }
        }
        for result in results { try result.get() }
        let rest = try world.cache().statistics()[.hits]
        #expect(told.withLock { $0 } + rest == 150)
    }

    @Test func statisticsOfAnUnusedScopeAreEmpty() throws {
        let scopes = try world.cache().statistics(scope: ScopeName("nobody's")).scopes
        #expect(scopes.map(\.name) == ["nobody's"] && scopes[0].entries == 0 && scopes[0].since == nil)
    }

    // MARK: Formats

    private func sample(scope: String = "default") -> Statistics {
        Statistics(
            entries: 3, variants: 1, bytes: 3000, capacity: 2000, pinned: EntrySum(entries: 1, bytes: 1000),
            leased: EntrySum(entries: 2, bytes: 2000), metadata: EntrySum(entries: 400, bytes: 600_000),
            scopes: [
                Statistics.Scope(
                    name: scope, entries: 3, variants: 1, bytes: 3000,
                    metadata: EntrySum(entries: 1, bytes: 1500),
                    since: Timestamp(milliseconds: 1_700_000_000_007),
                    counters: [.hits: 2, .misses: 1, .bytesServed: 4_500_000], failures: ["not-found": 1])
            ])
    }

    @Test func tableShowsTotalsLeasesPinsAndCounters() {
        #expect(
            String(decoding: sample().bytes(.text), as: UTF8.self) == """
                2 pictures and 1 variant, 3.0 kB of 2.0 kB (150 %), 1.0 kB over
                  leases in force        2 entries, 2.0 kB
                  pinned                 1 entry, 1.0 kB
                  cannot be trimmed now  3.0 kB
                  metadata               400 records, 600.0 kB

                scope default: 2 pictures and 1 variant, 3.0 kB; counters since 2023-11-14T22:13:20Z
                  metadata: 1 record, 1.5 kB
                  found 2 of 3 requested (66.6 %)

                  Requested pictures
                    found, fresh                                          2  hits
                    not found, or not usable                              1  misses

                  Bytes
                    served from the cache                            4.5 MB  bytes_served

                  Failures, by code
                    not-found                                             1

                """)
    }

    @Test func tableListsEveryCounterOnceWithin80Columns() {
        let counters = Dictionary(uniqueKeysWithValues: Counter.allCases.map { ($0, 999_999_999) })
        let scope = Statistics.Scope(
            name: "default", entries: 1, variants: 0, bytes: 1, metadata: EntrySum(), since: nil,
            counters: counters,
            failures: [:])
        let text = Statistics(
            entries: 1, variants: 0, bytes: 1, capacity: 0, pinned: EntrySum(), leased: EntrySum(),
            metadata: EntrySum(), scopes: [scope]
        ).text
        let lines = text.split(separator: "\n")
        for counter in Counter.allCases {
            #expect(lines.count { $0.hasSuffix("  \(counter.rawValue)") } == 1, "\(counter)")
        }
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(text)")
        #expect(CounterGroup.all.flatMap(\.rows).count == Counter.allCases.count)
    }

    @Test func jsonContainsEveryCounter() {
        let text = String(decoding: sample().bytes(.json), as: UTF8.self)
        for counter in Counter.allCases { #expect(text.contains("\"\(counter.rawValue)\":")) }
        #expect(text.contains(#""excess":1000,"pinned":{"entries":1,"bytes":1000}"#))
        #expect(text.contains(#""leased":{"entries":2,"bytes":2000}"#))
        #expect(text.contains(#""metadata":{"count":400,"bytes":600000},"scopes""#))
        #expect(text.contains(#""bytes":3000,"metadata":{"count":1,"bytes":1500},"since""#))
        #expect(text.contains(#""held_bytes":3000"#) && text.hasSuffix("}\n"))
    }

    @Test func prometheusOutputIsValid() throws {
        let hostile = "a\\b\"c\nd é"
        for scope in ["default", hostile] {
            let text = String(decoding: sample(scope: scope).bytes(.prometheus), as: UTF8.self)
            let families = try ExpositionReader.read(text)
            #expect(families["apod_tools_cache_hits_total"]?.type == "counter")
            #expect(families["apod_tools_cache_hits_total"]?.samples == [[["scope", scope]]: "2"])
            #expect(families["apod_tools_cache_served_bytes_total"]?.samples == [[["scope", scope]]: "4500000"])
            #expect(
                families["apod_tools_cache_failures_total"]?.samples
                    == [[["scope", scope], ["code", "not-found"]]: "1"])
            #expect(families["apod_tools_cache_metadata"]?.samples == [[["scope", scope]]: "1"])
            #expect(families["apod_tools_cache_metadata_bytes"]?.samples == [[["scope", scope]]: "1500"])
            #expect(families["apod_tools_cache_excess_bytes"]?.samples == [[]: "1000"])
            #expect(
                families["apod_tools_cache_counted_since_timestamp_seconds"]?.samples
                    == [[["scope", scope]]: "1700000000.007"])
            for (name, family) in families {
                #expect(name.hasSuffix("_total") == (family.type == "counter"), "\(name)")
            }
            #expect(families.count == Counter.allCases.count + 12)
        }
    }

    @Test func eachCounterHasADistinctMeaning() {
        #expect(Set(Counter.allCases.map(\.meaning)).count == Counter.allCases.count)
        for counter in Counter.allCases {
            #expect(counter.meaning.hasSuffix(".") && counter.countsBytes == counter.meaning.hasPrefix("Bytes"))
        }
    }

    // MARK: Metrics

    @Test func cacheReportsItsOperationsAsMetricEvents() throws {
        let events = Monitor([MetricEvent]())
        var settings = CacheSettings(root: world.root)
        settings.capacity = 2500
        settings.lease = .zero
        let cache = try CacheStore(
            settings: settings, clock: world.time.clock,
            metrics: Metrics { event in events.withLock { $0.append(event) } }, interruption: world.interruption,
            inspect: CacheStore.wholePicture)
        let server = FakeServer { _, number in FakeServer.Answer(body: picture(number, bytes: 1000)) }
        for name in ["a", "a", "b", "c"] { _ = try cache.fetch(request(name), client: world.client(server)) }
        _ = try cache.lookup(key("nothing"))
        try cache.remove(key("https://example.org/c"))
        let steps = events.withLock { $0 }.map { event in
            [event.kind.rawValue]
                + ["op", "status"].map { name in
                    if case .text(let text) = event[name] { text } else { "-" }
                }
        }
        #expect(
            steps == [
                ["cache", "fetch", "miss"], ["cache", "fetch", "hit"], ["cache", "fetch", "miss"], ["trim", "-", "-"],
                ["cache", "fetch", "miss"], ["cache", "lookup", "-"], ["cache", "remove", "-"],
            ])
        #expect(events.withLock { $0[0]["url"] } == .text("https://example.org/a"))
    }
}

/// A strict parser of the Prometheus text format; throws on any deviation.
enum ExpositionReader {
    struct Family: Equatable {
        var type = ""
        /// Values by their labels. Each label is a pair of a name and a value.
        var samples: [[[String]]: String] = [:]
    }

    struct Wrong: Error {
        let line: String
    }

    static func read(_ text: String) throws -> [String: Family] {
        var families: [String: Family] = [:]
        var current = ""
        guard text.hasSuffix("\n") else { throw Wrong(line: text) }
        var helped = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
            if line.hasPrefix("# HELP ") {
                guard words.count == 4, !words[3].isEmpty else { throw Wrong(line: String(line)) }
                helped = String(words[2])
            } else if line.hasPrefix("# TYPE ") {
                current = String(words[2])
                guard current == helped, families[current] == nil, ["counter", "gauge"].contains(String(words[3]))
                else { throw Wrong(line: String(line)) }
                families[current] = Family(type: String(words[3]))
            } else {
                let (name, labels, value) = try sample(String(line))
                guard name == current, families[name]?.samples.updateValue(value, forKey: labels) == nil,
                    Double(value) != nil
                else { throw Wrong(line: String(line)) }
            }
        }
        return families
    }

    private static func sample(_ line: String) throws -> (String, [[String]], String) {
        var rest = Substring(line)
        func take(_ count: Int = 1) -> Substring {
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        func takeName() -> String {
            String(take(rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }.count))
        }
        let name = takeName()
        var labels: [[String]] = []
        if rest.first == "{" {
            repeat {
                _ = take()
                let label = takeName()
                guard !label.isEmpty, take(2) == "=\"" else { throw Wrong(line: line) }
                var value = ""
                while let next = rest.first, next != "\"" {
                    _ = take()
                    guard next == "\\" else {
                        value.append(next)
                        continue
                    }
                    switch take() {
                    case "n": value.append("\n")
                    case "\\": value.append("\\")
                    case "\"": value.append("\"")
                    default: throw Wrong(line: line)
                    }
                }
                guard take() == "\"" else { throw Wrong(line: line) }
                labels.append([label, value])
            } while rest.first == ","
            guard take() == "}" else { throw Wrong(line: line) }
        }
        guard !name.isEmpty, take() == " " else { throw Wrong(line: line) }
        return (name, labels, String(rest))
    }
}
