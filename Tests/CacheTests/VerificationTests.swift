import Libc
import Support
import TestSupport
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Damage that `verify` finds and repairs, and states that are not damage.
@Suite struct VerificationTests {
    private let world: Surroundings
    init() throws { world = try Surroundings() }

    private final class Events: Sendable {
        private let all = Monitor([VerificationEvent]())
        @Sendable func add(_ event: VerificationEvent) { all.withLock { $0.append(event) } }
        var problems: [VerificationProblem] {
            all.withLock { $0.compactMap { if case .problem(let problem) = $0 { problem } else { nil } } }
        }
        var codes: [VerificationProblem.Code] { problems.map(\.code) }
        func step(_ kind: VerificationStep.Kind) -> VerificationStep? {
            all.withLock {
                $0.compactMap { if case .step(let step) = $0, step.kind == kind { step } else { nil } }.first
            }
        }
    }

    @discardableResult
    private func verify(
        repairs: Bool = false, selection: Verification.Selection? = nil
    ) throws -> Events {
        let events = Events()
        let verification = Verification(
            settings: CacheSettings(root: world.root), jobs: 3, repairs: repairs, clock: world.time.clock,
            interruption: world.interruption, inspect: CacheStore.wholePictureOrMovie, selection: selection)
        let count = try verification.run(report: events.add)
        #expect(count == events.problems.count)
        return events
    }

    private func put(_ count: Int, scope: String? = nil) throws -> [Entry] {
        let cache = try world.cache(scope: scope)
        return try (0..<count).map {
            try cache.store(MemorySource(picture($0, bytes: 1000)), key: key("\($0)")).entry
        }
    }

    private func overwrite(_ path: String, at offset: Int, with bytes: [UInt8]) throws {
        let file = try File.open(path, O_WRONLY)
        lseek(file.descriptor, off_t(offset), SEEK_SET)
        try file.write(bytes)
    }

    @Test func missingRootIsValidAndNotCreated() throws {
        #expect(try verify().problems.isEmpty)
        #expect(access(world.root, F_OK) != 0)
    }

    @Test func intactRootHasNoProblems() throws {
        _ = try put(300) + put(5, scope: "alice")

        let events = try verify()

        #expect(events.problems.isEmpty)
        #expect(events.step(.mark)?.count == 305)
        #expect(events.step(.check)?.count == 305 && events.step(.check)?.bytes == 305_000)
        #expect(events.step(.sweep)?.count == 0)
    }

    @Test func eachKindOfDamageIsFoundAndRepaired() throws {
        let entries = try put(6)
        unlink(entries[0].path)
        truncate(entries[1].path, 10)
        try overwrite(entries[2].path, at: 500, with: [7, 7, 7, 7, 7])
        unlink(entries[3].path)
        mkdir(entries[3].path, 0o700)
        try world.cache().index.perform { try $0.database.execute("UPDATE totals SET bytes = bytes + 5") }
        let wanted: Set<VerificationProblem.Code> = [.fileMissing, .fileSize, .contentDiffers, .sumsDiffer]

        let found = try verify()
        let again = try verify()
        let mended = try verify(repairs: true)
        let after = try verify()

        for events in [found, again, mended] {
            #expect(Set(events.codes) == wanted && events.problems.count == 5)
            #expect(Set(events.problems.compactMap(\.key)) == ["0", "1", "2", "3"])
        }
        #expect(mended.problems.allSatisfy(\.isRepaired) && !found.problems.contains(where: \.isRepaired))
        #expect(after.problems.isEmpty)
        #expect(try world.cache().statistics().entries == 2)
    }

    @Test func onlySelectedEntriesAreVerified() throws {
        let entries = try put(12)
        _ = try put(3, scope: "alice")
        unlink(entries[5].path)
        unlink(entries[10].path)
        var filter = EntryFilter()
        filter.keyPrefix = "1"
        let selection = Verification.Selection(filter) { entry, file in
            file.count == entry.bytes && entry.key == "11" ? "eleven is none" : nil
        }

        let found = try verify(selection: selection)
        let mended = try verify(repairs: true, selection: selection)

        for events in [found, mended] {
            #expect(events.codes == [.fileMissing, .contentRefused])
            #expect(events.problems.map(\.key) == ["10", "11"] && events.problems[1].detail == "eleven is none")
            #expect(events.step(.mark)?.count == 3 && events.step(.index)?.problems == 0 && events.step(.sweep) == nil)
        }
        #expect(try verify(selection: selection).problems.isEmpty)
        #expect(access(entries[11].path, F_OK) != 0)
        #expect(try world.cache().statistics().entries == 13)
    }

    @Test func leftoversOfKilledRunsAreNotDamage() throws {
        let cache = try world.cache()
        let entry = try put(1)[0]
        try world.unsettle(entry, in: cache)
        let root = cache.index.root
        let orphan = try #require(
            try CacheRoot.blob("\(key("mars").name).gif", folder: cache.folder()))
        let partial = CacheRoot.partial(try key("mars").name, in: cache.scope, generation: 0)
        for name in [orphan, partial] { try root.openToWrite(name, O_WRONLY).write([1, 2, 3]) }

        let events = try verify()
        #expect(events.problems.isEmpty)
        #expect(events.step(.sweep)?.count == 2 && events.step(.sweep)?.bytes == 6)
        #expect(try root.status(of: orphan) != nil)
        #expect(try root.status(of: partial) != nil)

        #expect(try verify(repairs: true).problems.isEmpty)
        #expect(try root.status(of: orphan) == nil)
        #expect(try root.status(of: partial) == nil)
        #expect(try cache.lookup(key("0")) != nil)
    }

    /// Even if the lock of the key is held, the file belongs to its row: a download writes another file.
    @Test func damagedEntryIsRepairedDuringADownload() throws {
        let entry = try put(1)[0]
        try overwrite(entry.path, at: 500, with: [7, 7, 7, 7, 7])
        let cache = try world.cache()
        try cache.withstanding {
            let flight = try EntryFlight(cache, EntryFlight.Subject(key("0")))
            try flight.begin()
            try MemorySource(picture(1)).copy(to: flight) {}

            #expect(try verify(repairs: true).codes == [.contentDiffers])

            _ = try flight.commit(CacheStore.wholePicture(flight.body.reopened()))
        }
        #expect(try verify().problems.isEmpty)
        #expect(try cache.lookup(key("0")).map { try Surroundings.contents($0.path) } == picture(1))
    }

    @Test(arguments: ["missing", "emptied", "truncated", "no database", "random bytes"])
    func lostIndexIsRebuiltFromTheFiles(_ damage: String) throws {
        let entries = try put(200)
        let cache = try world.cache()
        try cache.index.perform { try $0.database.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        let path = world.root + "/index.sqlite"
        var status = stat()
        stat(path, &status)
        let size = Int(status.st_size)
        var random = SeededRandom(name: damage)
        switch damage {
        case "missing": unlink(path)
        case "emptied": truncate(path, 0)
        case "truncated": truncate(path, off_t(size / 2))
        case "no database": try overwrite(path, at: 0, with: Array(repeating: 0x41, count: 4096))
        default: for page in 1..<(size / 4096) { try overwrite(path, at: page * 4096, with: random.bytes(500)) }
        }
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }

        let found = try verify()
        #expect(found.problems.count == 1)
        #expect(found.codes == [["missing", "emptied"].contains(damage) ? .indexLost : .indexDamaged])
        #expect(world.files("scopes").count == 200)

        let mended = try verify(repairs: true)
        #expect(mended.step(.rebuild)?.count == 200)
        #expect(try verify().problems.isEmpty)

        let healed = try world.cache()
        #expect(try healed.statistics().entries == 200)
        for (number, entry) in entries.enumerated() {
            let found = try #require(try healed.lookup(key("\(number)")))
            #expect(found.sha256 == entry.sha256 && found.path == entry.path && found.key == "\(number)")
        }
    }

    @Test func newerLayoutIsRefused() throws {
        _ = try put(1)
        try world.cache().index.perform { try $0.database.execute("PRAGMA user_version = 99") }

        #expect(throws: CacheFailure.newerLayout(found: 99, supported: Schema.current.version, root: world.root)) {
            try verify()
        }
    }

    /// Concurrent stores, replacements and removals must not be reported as damage.
    @Test func concurrentRunsAreNotReportedAsDamage() throws {
        let results = try together(5) { [world] worker in
            let cache = try world.cache(capacity: 30_000, lease: .zero)
            for round in 0..<30 {
                if worker == 0 {
                    #expect(try verify(repairs: round % 2 == 1).problems.isEmpty)
                } else {
                    let key = try key("\((worker + round) % 7)")
                    _ = try cache.store(MemorySource(picture(worker * 100 + round, bytes: 5000)), key: key)
                    if round % 5 == 0 { try cache.remove(key) }
                }
            }
        }
        for result in results { try result.get() }
        #expect(try verify().problems.isEmpty)
    }
}
