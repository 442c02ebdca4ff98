import Libc
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Power failures, simulated by a new boot ID and by files with the contents that a failure can leave.
@Suite struct DurabilityTests {
    private let world: Surroundings
    init() throws { world = try Surroundings() }

    /// The contents of a file whose bytes did not all reach the disk.
    enum Remains: CaseIterable {
        case nothing, beginning, zeros, zerosAtTheEnd

        func bytes(of whole: [UInt8]) -> [UInt8] {
            let half = whole.count / 2
            return switch self {
            case .nothing: []
            case .beginning: Array(whole[..<half])
            case .zeros: Array(repeating: 0, count: whole.count)
            case .zerosAtTheEnd: whole[..<half] + Array(repeating: 0, count: whole.count - half)
            }
        }
    }

    private func overwrite(_ path: String, with bytes: [UInt8]) throws {
        try File.open(path, O_WRONLY | O_TRUNC).write(bytes)
    }

    private func boot(of entry: Entry, in cache: CacheStore) throws -> Int64? {
        try cache.row(entry.name)?.boot
    }

    @Test func entryIsNotVerifiedBeforeARestart() throws {
        let cache = try world.cache()
        let entry = try cache.store(MemorySource(picture(1)), key: key("moon")).entry

        #expect(try boot(of: entry, in: cache) == cache.index.root.boot)
        #expect(try world.cache().lookup(key("moon")) == entry)
        #expect(try boot(of: entry, in: cache) != nil)
    }

    @Test func entryIsVerifiedAfterADiskError() throws {
        let cache = try world.cache()
        let entry = try cache.store(MemorySource(picture(1)), key: key("moon")).entry
        try overwrite(entry.path, with: Array(repeating: 0, count: entry.bytes))

        #expect(throws: SystemFailure.self) {
            try cache.index.root.writing { throw SystemFailure(errno: EIO, "write") }
        }

        #expect(try cache.lookup(key("moon")) == nil)
        #expect(
            world.messages.all == [
                "test: the file of moon does not have the recorded SHA-256; removing its entry\n"
            ])
        #expect(try cache.store(MemorySource(picture(2)), key: key("mars")).entry.boot == 0)
    }

    @Test func intactEntryOfAnotherBootIsVerifiedOnce() throws {
        let cache = try world.cache()
        let entry = try cache.store(MemorySource(picture(1)), key: key("moon")).entry
        try world.restart(cache)

        #expect(try world.cache().lookup(key("moon"))?.path == entry.path)
        #expect(try boot(of: entry, in: cache) == nil)
        #expect(try cache.statistics()[.lostWrites] == 0)
    }

    @Test(arguments: Remains.allCases) func damagedEntryOfAnotherBootIsAMiss(_ remains: Remains) throws {
        let cache = try world.cache()
        let entry = try cache.store(MemorySource(picture(1, bytes: 9000)), key: key("moon")).entry
        try overwrite(entry.path, with: remains.bytes(of: picture(1, bytes: 9000)))
        try world.restart(cache)

        #expect(try world.cache().lookup(key("moon")) == nil)
        #expect(try world.cache().freshHit(key("moon"), asFetch: false) == nil)
        let again = try world.cache().store(MemorySource(picture(1, bytes: 9000)), key: key("moon"))
        #expect(again.status == .miss)
        #expect(try Surroundings.contents(again.entry.path) == picture(1, bytes: 9000))
    }

    @Test func variantOfAnotherBootIsVerified() throws {
        let cache = try world.cache()
        let original = try cache.store(MemorySource(picture(1)), key: key("moon")).entry
        func make() throws -> MadeFile {
            var found: MadeFile?
            let sinks = try CacheDestination(cache, of: original, key: key("moon")).open(["a"]) { found = $1 }
            guard let sink = sinks[0] else { return try #require(found) }
            try sink.write(picture(7, bytes: 5000).span.bytes)
            return try sink.commit(FileFacts(contentType: "image/gif", fileExtension: "gif", width: 1, height: 1))
        }
        let made = try make()
        try overwrite(made.path, with: Array(repeating: 0, count: 5000))
        try world.restart(cache)

        let again = try make()
        #expect(again.isNew)
        #expect(try Surroundings.contents(again.path) == picture(7, bytes: 5000))
    }

    @Test func newContentGetsANewFileName() throws {
        let cache = try world.cache()
        let first = try cache.store(MemorySource(picture(1)), key: key("moon")).entry
        let second = try cache.store(MemorySource(picture(2)), key: key("moon")).entry

        #expect(first.path != second.path)
        #expect(try Surroundings.contents(first.path) == picture(1), "its path was just returned")
    }

    /// The index is in the state before the second store; the files are in the state after it.
    @Test func revertedIndexFindsTheNewerFile() throws {
        let cache = try world.cache(lease: .zero)
        let first = try cache.store(MemorySource(picture(1)), key: key("moon")).entry
        _ = try world.cache().setPinned(first, true)
        try cache.index.perform { try $0.database.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        let index = try Surroundings.contents(world.root + "/index.sqlite")
        let second = try cache.store(MemorySource(picture(2)), key: key("moon")).entry
        unlink(first.path)
        world.loseIndex()
        try File.open(world.root + "/index.sqlite", O_WRONLY | O_CREAT).write(index)
        try world.restart(world.cache())

        let found = try #require(try world.cache().lookup(key("moon")))

        #expect(found.path == second.path && found.sha256 == second.sha256 && found.isPinned)
    }

    @Test func fileWithoutARowIsRecoveredAfterARestart() throws {
        let cache = try world.cache()
        let entries = try (0..<3).map { try cache.store(MemorySource(picture($0)), key: key("\($0)")).entry }
        try cache.index.perform { try $0.database.execute("DELETE FROM entries; DELETE FROM doomed") }
        try overwrite(entries[2].path, with: Array(repeating: 0, count: entries[2].bytes))
        try world.restart(cache)

        #expect(try world.cache().lookup(key("0"))?.path == entries[0].path)
        _ = try world.cache().store(MemorySource(picture(9)), key: key("9"))
        #expect(try world.cache().statistics().entries == 3, "the store recovered the second picture")
        #expect(try world.cache().lookup(key("2")) == nil)
    }

    @Test func pinAndSyncMakeEntriesDurable() throws {
        let cache = try world.cache()
        let moon = try cache.store(MemorySource(picture(1)), key: key("moon")).entry
        #expect(try cache.setPinned(moon, true)?.isPinned == true)
        #expect(try boot(of: moon, in: cache) == nil)

        let syncing = try world.cache { $0.syncs = true }
        let mars = try syncing.store(MemorySource(picture(2)), key: key("mars")).entry
        #expect(try boot(of: mars, in: cache) == nil)

        let venus = try cache.store(MemorySource(picture(3)), key: key("venus")).entry
        #expect(try boot(of: venus, in: cache) != nil)
        #expect(try syncing.freshHit(key("venus"), asFetch: true) != nil)
        #expect(try boot(of: venus, in: cache) == nil)
    }

    /// A power failure lost both the deletion of this row and the bytes of a later file with the same name.
    @Test func durableRowIsNotUsedForALaterFile() throws {
        let cache = try world.cache { $0.syncs = true }
        let entry = try cache.store(MemorySource(picture(1)), key: key("moon")).entry
        try overwrite(entry.path, with: Array(repeating: 0, count: entry.bytes))
        var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
        try #require(utimensat(AT_FDCWD, entry.path, &times, 0) == 0)

        #expect(try world.cache().lookup(key("moon")) == nil)
    }

    @Test func durableFileWithAnotherModificationTimeIsVerifiedOnce() throws {
        let cache = try world.cache { $0.syncs = true }
        let entry = try cache.store(MemorySource(picture(1)), key: key("moon")).entry
        var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
        try #require(utimensat(AT_FDCWD, entry.path, &times, 0) == 0)

        #expect(try world.cache().lookup(key("moon"))?.path == entry.path)
        #expect(try cache.row(entry.name)?.modified == 1_000_000_000)
    }

    @Test func repeatedContentReusesItsFileNameUnlessARowUsesIt() throws {
        let cache = try world.cache()
        let first = try cache.store(MemorySource(picture(1)), key: key("moon")).entry
        _ = try cache.store(MemorySource(picture(2)), key: key("moon"))
        let third = try cache.store(MemorySource(picture(1)), key: key("moon")).entry
        #expect(third.path != first.path, "the first row still has its file")

        // The state after a process was killed between renaming its file into place and committing the row.
        let mars = try cache.store(MemorySource(picture(3)), key: key("mars")).entry
        try world.database().execute("DELETE FROM entries WHERE key = 'mars'; DELETE FROM doomed")
        #expect(try cache.store(MemorySource(picture(3)), key: key("mars")).entry.path == mars.path)
    }

    @Test func replacementOfAPinnedEntryIsDurable() throws {
        let cache = try world.cache()
        _ = try cache.setPinned(cache.store(MemorySource(picture(1)), key: key("moon")).entry, true)

        let entry = try cache.store(MemorySource(picture(2)), key: key("moon")).entry

        #expect(entry.isPinned)
        #expect(try boot(of: entry, in: cache) == nil)
    }

    @Test func copyOfAnotherBootIsWrittenAgain() throws {
        let cache = try world.cache()
        try cache.index.requireWriting()
        let path = world.folder + "/copy.gif"
        try File.open(path, O_WRONLY | O_CREAT).write(picture(1))
        let status = try #require(try FileStatus(at: path))
        try cache.copies.record([FileCopy(path: path, status: status, sha256: "", details: "")], of: key("moon"))
        #expect(try cache.copies.recorded(of: key("moon")).count == 1)

        try world.restart(cache)

        #expect(try cache.copies.recorded(of: key("moon")).isEmpty)
    }
}
