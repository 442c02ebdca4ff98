import HTTP
import Libc
import Support
import TestSupport
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// The cache in memory. Each scope of each root has a separate folder, called a place. All places share a limit.
@Suite(.enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"))
struct MemoryTests {
    private let world: Surroundings
    private let memory: TemporaryFolder
    private let moon: HTTPRequest

    init() throws {
        world = try Surroundings()
        memory = try TemporaryFolder(in: TemporaryFolder.memory)
        moon = try HTTPRequest("https://pictures.example/moon.gif")
    }

    private var places: RuntimePlaces {
        RuntimePlaces(memory: [memory.path("memory")], ephemeral: [memory.path("bypass")])
    }

    private func caches(
        root: String? = nil, scope: String? = nil, limit: Int = 100_000_000, places: RuntimePlaces? = nil,
        lease: Duration = .seconds(600)
    ) throws -> Caches {
        var settings = CacheSettings(
            root: root ?? world.root, scope: try scope.map(ScopeName.init), places: places ?? self.places)
        settings.policies = Policies(standard: .memory)
        settings.memoryCapacity = limit
        settings.lease = lease
        return Caches(settings: settings, clock: world.time.clock, interruption: world.interruption)
    }

    @Test func scopeSwitchReportsThePurgedEntriesInMemory() throws {
        try put("moon", bytes: 100, in: caches())
        _ = try caches().cache().store(MemorySource(picture(2, bytes: 200)), key: key("sun"))
        #expect(try caches().unknownScope(ScopeName("alice")) != nil)
        #expect(try caches().makeCurrent(ScopeName("alice"))?.purged == EntrySum(entries: 2, bytes: 300))
        try put("moon", in: caches(scope: "bob"))
        #expect(try caches().unknownScope(ScopeName("bob")) == nil)
    }

    private func use(_ limit: Int) -> MemoryUse { MemoryUse(limit: limit, places: places, clock: world.time.clock) }

    private func put(_ name: String, bytes: Int = 64, in caches: Caches) throws {
        _ = try caches.standard().store(MemorySource(picture(1, bytes: bytes)), key: key(name))
    }

    private func has(_ name: String, in caches: Caches) throws -> Bool {
        try caches.standard().lookup(key(name)) != nil
    }

    /// The names of the existing places and of their lock files, which are in the same folder as the ledger `use`.
    private var made: [String] { TemporaryFolder.names(in: memory.path("memory")).filter { $0 != "use" } }

    private func isFull(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return false
        } catch {
            let failure = failure(of: error)
            #expect(
                failure.code == "memory-full" && failure.exitCode == .temporary && failure.isTransient, "\(failure)")
            return true
        }
    }

    @Test func writeAheadLogIsTruncatedAfterItsReadersEnd() throws {
        let caches = try caches(lease: .zero)
        try put("moon", in: caches)
        let place = try #require(MemoryPlace.all(in: places).first)
        let reader = try Database(path: "\(place.path)/index.sqlite", root: place.path)
        try reader.execute("BEGIN; SELECT COUNT(*) FROM entries")
        for number in 0..<20 { try put("star-\(number)", in: caches) }
        func log() throws -> Int { try TestFile.bytes("\(place.path)/index.sqlite-wal").count }
        // Every file is removed, but the write-ahead log still contains the deleted rows.
        world.time.advance(.seconds(1))
        #expect(try place.makeRoom(for: 100_000, clock: world.time.clock))
        #expect(try log() > 50_000)
        try reader.execute("COMMIT")
        #expect(try !place.makeRoom(for: 100_000, clock: world.time.clock))
        #expect(try log() == 0)
    }

    // MARK: Places

    @Test func picturesInMemoryAreNotSharedBetweenRoots() throws {
        let (one, other) = try (caches(), caches(root: "\(world.folder)/other"))
        try put("moon", in: one)
        #expect(try !has("moon", in: other))

        try put("mars", in: other)
        #expect(try other.emptyMemory().contents.entries == 1)

        #expect(try has("moon", in: one) && !has("mars", in: other))
    }

    @Test func eachScopeHasItsOwnFolderInMemory() throws {
        try put("moon", in: caches(scope: "alice"))
        try put("moon", in: caches(scope: "bob"))
        #expect(made.filter { !$0.hasSuffix(".lock") }.count == 2)

        #expect(try caches().emptyMemory(of: ScopeName("alice")).contents.entries == 1)

        #expect(try !has("moon", in: caches(scope: "alice")) && has("moon", in: caches(scope: "bob")))
    }

    @Test func allPathsToARootHaveTheSamePlaceInMemory() throws {
        let folder = try TemporaryFolder()
        symlink(try folder.makeFolder("real"), folder.path("link"))
        let name = MemoryPlace.name(root: folder.path("real/root"), scope: .standard)

        #expect(MemoryPlace.name(root: folder.path("link/root/"), scope: .standard) == name)
        #expect(MemoryPlace.name(root: folder.path("real"), scope: .standard) != name)
        #expect(try MemoryPlace.name(root: folder.path("real/root"), scope: ScopeName("alice")) != name)
        // The name consists of two digests, so it reveals neither the path nor the scope.
        #expect(name.utf8.count == 65 && name.utf8.allSatisfy("0123456789abcdef-".utf8.contains))
        try folder.makeFolder("real/root")
        #expect(MemoryPlace.name(root: folder.path("link/root"), scope: .standard) == name)
    }

    @Test func placeIsEmptiedInEveryCandidateFolder() throws {
        // The first candidate is on a disk, as XDG_RUNTIME_DIR may be.
        let disk = try TemporaryFolder()
        let folders = [disk.path("apod-tools"), memory.path("memory")]
        let places = RuntimePlaces(memory: folders, ephemeral: [])
        let caches = { try self.caches(places: places) }
        try put("moon", in: caches())
        #expect(made.count == 2 && disk.contents() == [])
        // A session with XDG_RUNTIME_DIR also empties the places of sessions without XDG_RUNTIME_DIR.
        let later = RuntimePlaces(memory: [memory.path("later"), memory.path("memory")], ephemeral: [])

        #expect(try self.caches(places: later).emptyMemory(of: .standard).contents.entries == 1)
        #expect(made == [])
        #expect(try !has("moon", in: caches()))
    }

    @Test func purgedMemoryPlaceStaysWhileItIsInUse() throws {
        do {
            let user = try caches(scope: "alice")
            let cache = try user.standard()
            #expect(throws: CacheFailure.scopeChanged(scope: "alice")) {
                try cache.store(MemorySource(picture()), key: key("moon")) { source in
                    _ = try caches().emptyMemory(of: ScopeName("alice"))
                    return try CacheStore.wholePicture(source)
                }
            }
            #expect(made.count == 2)
            #expect(try !has("moon", in: user))
        }
        _ = try caches().emptyMemory()
        #expect(made == [])
    }

    @Test func pathInAPurgedPlaceIsReportedAsPurged() throws {
        let path: String
        do {
            let caches = try caches(scope: "alice")
            try put("moon", in: caches)
            let entry = try caches.standard().lookup(key("moon"))
            path = try #require(entry).path
            #expect(try !caches.isPurged(path))
        }
        _ = try caches().emptyMemory()

        #expect(try caches().isPurged(path))
        #expect(try !caches(root: "\(world.folder)/other").isPurged(path))
    }

    @Test func folderReadableByOthersIsNotEmptied() throws {
        try put("moon", in: caches())
        chmod(memory.path("memory"), 0o755)
        #expect(try caches().emptyMemory().contents.entries == 0)
        chmod(memory.path("memory"), 0o700)
        #expect(try has("moon", in: caches()))
    }

    @Test func scopesInMemoryAreListedWithTheirContents() throws {
        try put("moon", in: caches(scope: "alice"))
        try put("moon", in: caches(scope: "bob"))
        try put("mars", in: caches(scope: "bob"))

        let scopes = try caches().scopes()

        #expect(scopes.map(\.name.text) == ["alice", "bob", "default"])
        #expect(scopes.map(\.contents.entries) == [1, 2, 0])
        #expect(scopes.map(\.isCurrent) == [false, false, true])
        #expect(try caches().emptyMemory(dryRun: true).scopes == 2)
    }

    // MARK: Memory limit

    /// A process waits longer for room while another process is writing.
    @Test func placeIsBeingWrittenOnlyWhileAProcessReceivesBytes() throws {
        let caches = try caches()
        try put("moon", in: caches)
        let place = try #require(MemoryPlace.all(in: places).first)
        let root = CacheRoot(place.path)
        let name = CacheRoot.partial(try key("mars").name, in: .standard, generation: 0)
        let lock = CacheRoot.lock(try key("mars").name, in: .standard)
        #expect(try !place.isBeingWritten)

        let file = try root.openToWrite(name, O_WRONLY)
        try file.write(Array("bytes".utf8))
        // A partial file of a killed process is ignored.
        #expect(try !place.isBeingWritten)
        let held = try KeyLock(root: root, lock, interruption: world.interruption)
        #expect(try place.isBeingWritten)
        // A process that is itself waiting for room has received no bytes.
        try root.openToWrite(name, O_WRONLY | O_TRUNC).write([])
        #expect(try !place.isBeingWritten)
        try root.openToWrite(name + CacheRoot.noteMark, O_WRONLY).write(Array("note".utf8))
        #expect(try !place.isBeingWritten)
        withExtendedLifetime(held) {}
    }

    @Test func leasedEntriesNeverExceedTheMemoryLimit() throws {
        let limit = 1_000_000
        let caches = try caches(limit: limit)
        var stored = 0
        var refused = 0
        for number in 0..<40 {
            let isFull = isFull { try put("\(number)", bytes: 50_000, in: caches) }
            if isFull { refused += 1 } else { stored += 1 }
            #expect(use(limit).measured() <= limit)
        }
        // The index uses a part of the limit.
        #expect(stored >= 8 && refused >= 20, "\(stored)")

        // The least recently used entries are evicted as soon as their leases end.
        world.time.advance(.seconds(661))
        try put("new", bytes: 50_000, in: caches)
        #expect(try has("new", in: caches))
        #expect(use(limit).measured() <= limit)
    }

    @Test func cacheAndEphemeralFilesShareTheMemoryLimit() throws {
        let limit = 1_000_000
        let caches = try caches(limit: limit)
        guard case .ephemeral(let store) = try caches.storage(.disabled) else {
            throw CacheFailure.fault(detail: "the policy disabled has a cache")
        }
        for number in 0..<6 { try put("\(number)", bytes: 60_000, in: caches) }

        var files = 0
        #expect(
            isFull {
                for _ in 0..<20 {
                    _ = try store.store(MemorySource(picture(1, bytes: 60_000)), key: key("past"))
                    files += 1
                }
            })
        #expect((1..<12).contains(files), "\(files)")
        #expect(use(limit).measured() <= limit)
        #expect(isFull { try put("more", bytes: 120_000, in: caches) })

        // Expired leases free room within the same run.
        world.time.advance(.seconds(601))
        try put("more", bytes: 120_000, in: caches)
    }

    @Test func unusedPicturesOfAnotherRootMakeRoom() throws {
        let limit = 1_000_000
        do {
            let other = try caches(root: "\(world.folder)/other", limit: limit)
            for number in 0..<6 { try put("\(number)", bytes: 60_000, in: other) }
        }
        let caches = try caches(limit: limit)
        #expect(isFull { for number in 0..<20 { try put("\(number)", bytes: 60_000, in: caches) } })

        world.time.advance(.seconds(661))
        var stored = 0
        let isFull = isFull {
            for number in 20..<40 {
                try put("\(number)", bytes: 60_000, in: caches)
                stored += 1
            }
        }
        // Seven pictures fit only if some of the other root's six pictures are removed.
        #expect(isFull && stored >= 7, "\(stored)")
    }

    @Test func bodyIsCountedWhileItArrives() throws {
        let limit = 1_000_000
        let caches = try caches(limit: limit)
        let server = FakeServer(picture(1, bytes: 1_200_000))
        let watcher = MeasuringWatcher(use(limit))

        #expect(
            isFull { _ = try caches.standard().fetch(moon, client: world.client(server), watcher: watcher) })

        #expect(watcher.most <= limit)
        #expect(use(limit).measured() < limit / 2)
        #expect(try caches.standard().lookup(CacheKey(url: moon.url)) == nil)
    }

    @Test func variantIsCountedWhileItIsWritten() throws {
        let limit = 1_000_000
        let caches = try caches(limit: limit)
        try put("moon", in: caches)
        let piece = [UInt8](repeating: 7, count: 50_000)
        var written = 0

        var most = 0
        let isFull = isFull {
            _ = try caches.standard().variant(of: key("moon"), options: "w=1") { _, sink in
                for _ in 0..<40 {
                    try sink.write(piece)
                    written += piece.count
                    most = max(most, use(limit).measured())
                }
                return FileFacts(contentType: "image/png", fileExtension: "png")
            }
        }
        #expect(isFull && written < limit && most <= limit)
    }

    @Test func concurrentProcessesStayBelowTheMemoryLimit() throws {
        let limit = 2_000_000
        let results = try together(6) { [world, places] number in
            var settings = CacheSettings(root: "\(world.folder)/\(number % 3)", places: places)
            settings.policies = Policies(standard: .memory)
            settings.memoryCapacity = limit
            let caches = Caches(settings: settings, clock: world.time.clock, interruption: world.interruption)
            var stored = 0
            do {
                for name in 0..<20 {
                    _ = try caches.standard().store(
                        MemorySource(picture(number, bytes: 40_000)), key: key("\(number)-\(name)"))
                    stored += 1
                }
            } catch CacheFailure.memoryFull {}
            return stored
        }
        let stored = try results.map { try $0.get() }.reduce(0, +)
        #expect(stored > 10 && stored < 50, "\(stored)")
        #expect(use(limit).measured() <= limit)
    }

    @Test(arguments: ["", "x", "-5 1", "9999999999999999999999 0", String(repeating: "1", count: 40)])
    func memoryIsMeasuredAgainIfTheLedgerIsInvalid(_ text: String) throws {
        try memory.makeFolder("memory")
        try memory.write("memory/use", text)
        let caches = try caches(limit: 1_000_000)
        try put("moon", in: caches)
        #expect(try has("moon", in: caches))
    }

    @Test func folderRemovedDuringARunIsCreatedAgain() throws {
        let caches = try caches()
        try put("moon", in: caches)
        Surroundings.removeTree(memory.path("memory"))
        try put("mars", in: caches)
        #expect(try has("mars", in: caches))
    }

    @Test func growthIsCountedInPages() throws {
        let use = use(1_000_000)
        try memory.makeFolder("memory")
        chmod(memory.path("memory"), 0o700)
        // Growth within the first page is free, however full the folder is.
        try memory.write("memory/filler", [UInt8](repeating: 1, count: 866_000))
        var runs = 0
        try use.grow(from: 1, to: 4096) { runs += 1 }
        #expect(throws: CacheFailure.memoryFull(limit: 1_000_000)) { try use.grow(from: 4096, to: 8193) { runs += 1 } }
        #expect(throws: CacheFailure.memoryFull(limit: 1_000_000)) { try use.grow(from: 0, to: .max) { runs += 1 } }
        #expect(runs == 1)
    }
}

/// Records the peak of the measured memory use.
private final class MeasuringWatcher: BodyWatcher {
    private let use: MemoryUse
    private(set) var most = 0

    init(_ use: MemoryUse) { self.use = use }

    func begin(_ body: ArrivingBody) { most = max(most, use.measured()) }
    func take(_ bytes: UnsafeRawBufferPointer) { most = max(most, use.measured()) }
}
