import CacheTools
import Fetch
import Formats
import Images
import Records
import Store
import Support
import TestSupport
import Testing

@testable import GIFs

@Suite struct KeptGIFsTests {
    private let folder: TemporaryFolder
    private let caches: Caches

    init() throws {
        folder = try TemporaryFolder()
        caches = Caches(settings: CacheSettings(root: folder.path("cache")), interruption: Interruption())
    }

    private func id(_ text: String) throws -> ExerciseID { try ExerciseID(text) }

    /// Returns the GIF of the first of these resolutions that is cached.
    private func find(_ name: String, _ resolutions: [Resolution] = Resolution.standard.andNearest) throws -> FoundEntry
    {
        let naming = GIFNaming(service: try ExerciseService(), resolutions: resolutions)
        return try caches.find(RecordJob(Record(), argument: name), naming)
    }

    /// Stores bytes as `put` would.
    @discardableResult
    private func keep(
        _ name: String, _ resolution: Resolution = .standard, _ bytes: [UInt8] = TinyGIF.bytes
    ) throws -> Entry {
        let key = ExerciseGIF(id: try id(name), resolution: resolution).cacheKey
        return try caches.standard().store(MemorySource(bytes), key: CacheKey(printed: key)) { source in
            let facts = try GIFAcceptance.inspect(source)
            return FileFacts(format: .gif, upright: facts.size, details: facts.note)
        }.entry
    }

    private func names(_ filter: EntryFilter = EntryFilter(), _ resolution: Resolution? = nil) throws -> Set<String> {
        var listing = try caches.gifs(filter, resolution: resolution)
        var names: Set<String> = []
        while let kept = try listing.next() { names.insert(try #require(kept.entry.gif).cacheKey) }
        return names
    }

    @Test(.enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"))
    func gifsOnDiskAndInMemoryAreMergedInOrder() throws {
        let memory = try TemporaryFolder(in: TemporaryFolder.memory)
        var settings = CacheSettings(
            root: folder.path("cache"), places: RuntimePlaces(environment: ["XDG_RUNTIME_DIR": memory.path]))
        let onDisk = Caches(settings: settings, interruption: Interruption())
        settings.policies = Policies(standard: .memory)
        let inMemory = Caches(settings: settings, interruption: Interruption())
        for (caches, names) in [(onDisk, ["0001", "0004", "0005"]), (inMemory, ["0002", "0003"])] {
            for name in names {
                let key = ExerciseGIF(id: try id(name), resolution: .standard).cacheKey
                _ = try caches.standard().store(MemorySource(TinyGIF.bytes), key: CacheKey(printed: key))
            }
        }
        func listed(_ order: EntryOrder?) throws -> [String] {
            var listing = try onDisk.gifs(order: order)
            var names: [String] = []
            while let kept = try listing.next() { names.append(try #require(kept.entry.gif).id.text) }
            return names
        }
        let all = ["0001", "0002", "0003", "0004", "0005"]
        #expect(try listed(nil).sorted() == all)
        #expect(try listed(EntryOrder(.url)) == all)
        #expect(try listed(EntryOrder(.url, reversed: true)) == all.reversed())
    }

    @Test(arguments: [
        (Resolution.pixels180, [180, 360, 720, 1080]), (.pixels360, [360, 720, 1080, 180]),
        (.pixels720, [720, 1080, 360, 180]), (.pixels1080, [1080, 720, 360, 180]),
    ])
    func largerResolutionsPrecedeSmallerResolutions(_ wanted: Resolution, _ order: [Int]) {
        #expect(wanted.andNearest.map(\.rawValue) == order)
    }

    @Test func keyOfAGIFSurvivesARoundTrip() throws {
        for resolution in Resolution.allCases {
            let gif = ExerciseGIF(id: try id("0001"), resolution: resolution)
            #expect(ExerciseGIF(cacheKey: gif.cacheKey) == gif)
        }
        for key in ["exercisedb:0001", "exercisedb:0001@90", "exercisedb:a/b@180", "exercisedb:@180", "0001@180", ""] {
            #expect(ExerciseGIF(cacheKey: key) == nil, "\(key)")
        }
    }

    @Test func otherResolutionsAreFoundUnlessOneIsRequested() throws {
        try keep("0001", .pixels720)
        try keep("0001", .pixels1080)
        #expect(try find("0001").entry.gif?.resolution == .pixels720)
        #expect(try find("0001", Resolution.pixels1080.andNearest).entry.gif?.resolution == .pixels1080)
        let absent = #expect(throws: CacheFailure.self) { try find("0001", [.pixels180]) }
        #expect(absent == .absent(key: "exercisedb:0001@180"))
        #expect(throws: try #require(absent)) { try find("exercisedb:0001@180") }
        try keep("0001")
        #expect(try find("0001").entry.gif?.resolution == .pixels180)
    }

    @Test func entryThatIsNotAGIFIsIgnored() throws {
        let png = DrawnPicture.noise(4, 4, seed: 1).png()
        _ = try caches.standard().store(MemorySource(png), key: CacheKey(printed: "exercisedb:0001@180"))
        try keep("0001", .pixels360)
        #expect(try find("0001").entry.gif?.resolution == .pixels360)
    }

    @Test func aMissIsCountedOnce() throws {
        // A lookup does not create the cache that stores the counters, so create the cache first.
        try keep("0002", .pixels180)
        caches.close()
        let misses = try caches.standard().statistics()[.misses]
        #expect(throws: CacheFailure.self) { try find("0001") }
        caches.close()
        #expect(try caches.standard().statistics()[.misses] == misses + 1)
    }

    @Test func onlyGIFsOfExercisesAreListedCountedAndRemoved() throws {
        let bytes = try keep("0001").bytes
        try keep("0002", .pixels360)
        let other = try CacheKey(name: "my-own")
        _ = try caches.standard().store(MemorySource(TinyGIF.bytes), key: other)
        #expect(try names() == ["exercisedb:0001@180", "exercisedb:0002@360"])
        #expect(try names(EntryFilter(), .pixels360) == ["exercisedb:0002@360"])
        var large = EntryFilter()
        large.largerThan = 1_000_000
        #expect(try names(large) == [])
        let planned = try caches.removeGIFs(sparesPinned: false, dryRun: true)
        #expect(planned.removal == EntrySum(entries: 2, bytes: 2 * bytes) && planned.isDryRun)
        #expect(try caches.removeGIFs(sparesPinned: false).removal == planned.removal)
        #expect(try names() == [])
        #expect(try caches.standard().peek(other) != nil)
    }

    @Test func pinnedEntriesSurviveFiltersButNotTheRemovalOfAll() throws {
        try keep("0001")
        try keep("0002")
        _ = try find("0001").pinned(true)
        var all = EntryFilter()
        all.smallerThan = .max
        let report = try caches.removeGIFs(all)
        #expect(report.removal.entries == 1 && report.pinned == 1)
        #expect(try names() == ["exercisedb:0001@180"])
        #expect(try caches.removeGIFs(sparesPinned: false).removal.entries == 1)
    }

    @Test func removalIncludesAllResolutionsUnlessOneIsNamed() throws {
        for resolution in Resolution.allCases { try keep("0001", resolution) }
        let all = try Resolution.standard.andNearest.map { ExerciseGIF(id: try id("0001"), resolution: $0) }
        #expect(try caches.remove([all[1]], dryRun: true).entries == 1)
        #expect(try caches.remove([all[1]]).entries == 1)
        #expect(throws: CacheFailure.absent(key: "exercisedb:0001@360")) { try caches.remove([all[1]]) }
        #expect(try caches.remove(all).entries == 3)
        #expect(throws: CacheFailure.absent(key: "exercisedb:0001")) { try caches.remove(all) }
    }

    @Test func verificationFindsFaultsInTheBytes() throws {
        let entry = try keep("0001")
        let source = MemorySource(TinyGIF.bytes)
        #expect(try entry.gifFault(in: source) == nil)
        let cut = try #require(try entry.gifFault(in: MemorySource(Array(TinyGIF.bytes.dropLast()))))
        #expect(cut.hasPrefix("truncated-gif: "))
        var wider = TinyGIF.bytes
        wider[6] = 5
        #expect(try entry.gifFault(in: MemorySource(wider)) == "its canvas is 5x3, not 4x3")
        var slower = TinyGIF.bytes
        slower[try #require(slower.indices.dropFirst(3).first { Array(slower[$0 - 3...$0]) == [0xF9, 4, 0, 5] })] = 9
        #expect(try entry.gifFault(in: MemorySource(slower)) == "its properties differ from the index")
    }

    @Test func posterIsAVariantThatIsRemovedWithItsGIF() throws {
        let palette: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [9, 9, 9]]
        var frame = DrawnAnimation.Frame(width: 2, height: 1, pixels: [0, 1])
        frame.x = 1
        frame.y = 1
        let gif = DrawnAnimation(width: 4, height: 2, palette: palette, frames: [frame, frame]).gif()
        try keep("0001", .standard, gif)
        let found = try find("0001")
        let poster = try found.poster(DecodeOptions())
        #expect(poster.isNew && poster.facts.contentType == "image/png")
        #expect((poster.facts.width, poster.facts.height) == (4, 2))
        let again = try found.poster(DecodeOptions())
        #expect(!again.isNew && again.path == poster.path)
        #expect(try found.cache.variants(of: found.entry).count == 1)
        _ = try caches.remove([ExerciseGIF(id: id("0001"))])
        #expect(!TestFile.exists(poster.path))
    }

    @Test func failedPosterNamesItsFile() throws {
        let entry = try keep("0001")
        let found = try find("0001")
        let failure = #expect(throws: NamedFailure.self) { try found.poster(DecodeOptions()) }
        #expect(failure?.message.hasPrefix(entry.path) == true && failure?.exitCode == .data)
        #expect(try found.cache.variants(of: found.entry).isEmpty)
    }
}
