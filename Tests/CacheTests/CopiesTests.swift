import HTTP
import Libc
import Records
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Copies that `put --output-dir` writes. The cache remembers them after it has evicted the originals.
@Suite struct CopiesTests {
    private let world: Surroundings
    private let server = FakeServer(picture())
    private let url = "https://pictures.example/m31.gif"
    private var key: CacheKey { get throws { try CacheKey(url: WebURL(url)) } }
    private var archive: String { world.folder + "/archive" }

    init() throws { world = try Surroundings() }

    private func cache(_ scope: String? = nil) throws -> CacheStore { try world.cache(scope: scope) }

    /// Stores the picture and writes its copy, as `put --output-dir` does in a new process.
    private func put(
        template: String = "{stem}.{ext}", overwrites: Bool = false, scope: String? = nil, title: String = "M31",
        _ change: (inout CacheSettings) -> Void = { _ in }
    ) throws -> Record {
        var settings = CacheSettings(root: world.root, scope: try scope.map(ScopeName.init))
        change(&settings)
        let caches = Caches(settings: settings, clock: world.time.clock, interruption: world.interruption)
        defer { caches.close() }
        var tool = PutTool(caches: caches, client: world.client(server), rules: CacheItem.Rules()) {
            HTTPRequest(url: $0)
        }
        let folder = OutputFolder(archive, template: try NameTemplate(template))
        try folder.make()
        tool.copies = OriginalCopies(in: folder, overwrites: overwrites)
        var record = Record()
        record.set(["url": .string(url), "title": .string(title)])
        try tool.perform(on: &record)
        return record
    }

    private func evict(_ scope: String? = nil) throws {
        let cache = try cache(scope)
        world.time.advance(.seconds(86_400))
        _ = try cache.trimmer.makeRoom(for: 1_000_000)
        #expect(try cache.allEntries().isEmpty)
    }

    private func rows() throws -> Int {
        try world.database().first("SELECT count(*) FROM copies") { $0.int(0) } ?? 0
    }

    private func edit(_ bytes: [UInt8]) throws {
        let file = try Folder(archive).open("m31.gif", O_WRONLY | O_TRUNC)
        try file.write(bytes)
    }

    @Test func unchangedCopyOfAnEvictedPictureNeedsNoRequest() throws {
        let first = try put()
        #expect(first.string("cache.status") == "miss" && first.string("file") == archive + "/m31.gif")
        #expect(first.string("path") != first.string("file"))
        try evict()

        let again = try put()

        #expect(server.requests.count == 1)
        #expect(again.string("cache.status") == "kept")
        #expect(again.string("path") == archive + "/m31.gif" && again.string("file") == archive + "/m31.gif")
        for field in ["key", "scope", "url", "bytes", "content_type", "sha256", "width", "height", "fetched_at"] {
            let path = FieldPath(stringLiteral: "cache.\(field)")
            #expect(again.printable(path) == first.printable(path), "\(field)")
        }
        #expect(!again.hasPath("cache.expires_at"))
        #expect(try cache().allEntries().isEmpty)
        #expect(try cache().statistics()[.kept] == 1)
    }

    @Test func copyThatCannotBeRecordedIsWritten() throws {
        let cache = try cache()
        try cache.index.requireWriting()
        let fault = try world.refuse("INSERT ON copies")
        let copy = FileCopy(path: "/nowhere/m31.gif", bytes: 1, modified: 0, sha256: "", details: "")
        try cache.copies.record([copy], of: key)
        #expect(world.messages.all == ["test: cannot record the copies of \(url): \(fault)\n"])
    }

    @Test func copyOfAnExpiredPictureNeedsNoRequestUnlessRefreshed() throws {
        _ = try put()
        world.time.advance(.seconds(400 * 86_400))
        #expect(try put().string("cache.status") == "kept")
        #expect(server.requests.count == 1)
        #expect(try put { $0.refreshes = true }.string("cache.status") == "miss")
        #expect(server.requests.count == 2)
        #expect(try put { $0.isOffline = true }.string("cache.status") == "kept")
    }

    @Test func deletedCopyIsFetchedAgain() throws {
        _ = try put()
        try evict()
        try #require(unlink(archive + "/m31.gif") == 0)
        #expect(try put().string("cache.status") == "miss")
        #expect(server.requests.count == 2)
        #expect(try Surroundings.contents(archive + "/m31.gif") == picture())
    }

    @Test(arguments: [picture() + [0], picture().reversed()]) func editedCopyIsReportedAndKept(
        _ edited: [UInt8]
    ) throws {
        _ = try put()
        try evict()
        try edit(edited)
        #expect(throws: OutputFailure.edited(path: archive + "/m31.gif")) { try put() }
        #expect(server.requests.count == 1)
        #expect(try Surroundings.contents(archive + "/m31.gif") == edited)

        #expect(try put(overwrites: true).string("cache.status") == "miss")
        #expect(try Surroundings.contents(archive + "/m31.gif") == picture())
        #expect(try put().string("cache.status") == "kept")
    }

    @Test func touchedCopyIsComparedOnceAndKept() throws {
        _ = try put()
        try evict()
        let times = [timespec(tv_sec: 1, tv_nsec: 2), timespec(tv_sec: 3, tv_nsec: 4)]
        try #require(utimensat(AT_FDCWD, archive + "/m31.gif", times, 0) == 0)
        #expect(try put().string("cache.status") == "kept")
        #expect(try cache().copies.recorded(of: key).map(\.modified) == [3_000_000_004])
        #expect(server.requests.count == 1)
    }

    @Test func copyWithAnotherNameOrFolderIsNotReused() throws {
        _ = try put(template: "{title}.{ext}")
        try evict()
        #expect(try put(template: "{title}.{ext}", title: "M32").string("cache.status") == "miss")
        // The cache remembers both file names of the picture.
        try evict()
        for title in ["M31", "M32"] {
            #expect(try put(template: "{title}.{ext}", title: title).string("file") == "\(archive)/\(title).gif")
        }
        #expect(server.requests.count == 2)
    }

    @Test func copyIsFoundByATemplateWithPropertiesOfThePicture() throws {
        let template = "{sha256:8} {width}x{height} {cache.bytes} {variant} {stem}.{ext}"
        let first = try put(template: template)
        try evict()
        let again = try put(template: template)
        #expect(again.string("cache.status") == "kept" && again.string("file") == first.string("file"))
    }

    @Test func copiesAreNotSharedBetweenScopes() throws {
        _ = try put(scope: "alice")
        #expect(try put(scope: "bob").string("cache.status") == "miss")
        #expect(server.requests.count == 2)
        for scope in ["alice", "bob"] {
            try evict(scope)
            #expect(try put(scope: scope).string("cache.scope") == scope)
        }
        #expect(server.requests.count == 2)
    }

    // MARK: Forgetting

    @Test(arguments: ["remove", "forget", "filter", "purge", "reset", "reset all", "switch"])
    func copyIsForgottenWithItsPicture(_ way: String) throws {
        _ = try put()
        let cache = try cache()
        switch way {
        case "remove": _ = try cache.remove(key)
        case "forget":
            try evict()
            try cache.forget(key)
        case "filter": _ = try cache.remove(EntryFilter())
        case "purge": _ = try cache.scopes.purge(.standard)
        case "reset": _ = try cache.scopes.reset(.standard)
        case "reset all": _ = try cache.scopes.reset()
        default: _ = try cache.scopes.makeCurrent(ScopeName("other"))
        }
        #expect(try cache.copies.recorded(of: key).isEmpty)
        _ = try cache.scopes.finishPurges()
        #expect(try rows() == 0)
        // The file is compared with the picture and recorded again.
        #expect(try put(scope: "default").string("cache.status") == "miss")
        #expect(try put(scope: "default").string("cache.status") == "kept")
    }

    @Test func cleaningKeepsRowsOfCopiesInUnmountedFolders() throws {
        _ = try put()
        _ = try put(template: "away/{stem}.{ext}")
        _ = try put(template: "gone.{ext}")
        try #require(rename(archive + "/away", world.folder + "/unmounted") == 0)
        try #require(unlink(archive + "/gone.gif") == 0)
        func clean(dryRun: Bool) throws -> Int? {
            var count: Int?
            try cache().maintenance.clean(dryRun: dryRun) { if $0.kind == .copies { count = $0.count } }
            return count
        }
        #expect(try clean(dryRun: true) == 1)
        #expect(try rows() == 3)
        #expect(try clean(dryRun: false) == 1)
        #expect(try rows() == 2)
        try #require(rename(world.folder + "/unmounted", archive + "/away") == 0)
        try evict()
        #expect(try put().string("cache.status") == "kept")
        #expect(try put(template: "away/{stem}.{ext}").string("cache.status") == "kept")
    }

    @Test func copyIsComparedWithThePictureAfterTheIndexIsLost() throws {
        _ = try put()
        for name in Surroundings.entries(of: world.root) where name.hasPrefix("index") {
            unlink("\(world.root)/\(name)")
        }
        #expect(try put().string("file") == archive + "/m31.gif")
        #expect(try put().string("cache.status") == "kept")
        Surroundings.removeTree(world.root)
        try edit(picture() + [0])
        #expect(throws: OutputFailure.differs(path: archive + "/m31.gif")) { try put() }
        #expect(try Surroundings.contents(archive + "/m31.gif") == picture() + [0])
    }

    @Test func copyRowsAreLimitedAndIndexedByKey() throws {
        _ = try put()
        let database = try world.database()
        try database.execute("UPDATE copies SET id = id + \(CopyTable.limit)")
        try database.execute(
            "INSERT INTO copies SELECT 1, scope, 'x', path, bytes, modified, sha256, details, boot FROM copies")
        _ = try put(template: "other.{ext}")
        #expect(try rows() == 2)
        let plan = try database.all("EXPLAIN QUERY PLAN \(CopyTable.select)", nil, nil, 1) { $0.string(3) }
        #expect(plan.contains { $0.contains("copies_by_name (scope=? AND name=?)") }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
    }
}
