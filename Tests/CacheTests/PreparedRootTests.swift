import Libc
import Support
import TestSupport
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Roots prepared by an attacker, and folders that are not cache roots.
@Suite struct PreparedRootTests {
    private let world: Surroundings
    private let victim: String

    init() throws {
        world = try Surroundings()
        victim = world.folder + "/victim"
        try File.open(victim, O_WRONLY | O_CREAT).write(Array("untouched".utf8))
    }

    private var names: [String] { Surroundings.entries(of: world.root).sorted() }

    private func isUntouched() -> Bool { (try? Surroundings.contents(victim)) == Array("untouched".utf8) }

    private func write(_ name: String, _ text: String = "x") throws {
        let path = "\(world.root)/\(name)"
        mkdir(world.root, 0o700)
        try File.open(path, O_WRONLY | O_CREAT).write(Array(text.utf8))
    }

    private func store(_ name: String = "moon") throws -> Entry {
        try world.cache().store(MemorySource(picture()), key: key(name)).entry
    }

    // MARK: Links

    @Test func linkInPlaceOfAPartialFileIsNotFollowed() throws {
        try world.cache().index.requireWriting()
        let name = CacheRoot.partial(try key("moon").name, in: .standard, generation: 0)
        symlink(victim, "\(world.root)/\(name)")

        #expect(throws: UnsafePath.link("\(world.root)/\(name)")) { try store() }
        #expect(isUntouched())
    }

    @Test(arguments: ["scopes", "partial", "locks"])
    func linkInPlaceOfAFolderIsRefused(_ folder: String) throws {
        try world.cache().index.requireWriting()
        let elsewhere = world.folder + "/elsewhere"
        rename("\(world.root)/\(folder)", elsewhere)
        symlink(elsewhere, "\(world.root)/\(folder)")

        #expect(throws: UnsafePath.link("\(world.root)/\(folder)")) { try store() }
        #expect(Surroundings.files(below: elsewhere).filter { $0 != "all" } == [])
    }

    @Test func pictureBehindALinkedFolderIsAMiss() throws {
        let entry = try store()
        let folder = String(entry.path.dropLast(entry.file.utf8.count + 1))
        rename(folder, world.folder + "/elsewhere")
        symlink(world.folder + "/elsewhere", folder)

        #expect(try world.cache().lookup(key("moon")) == nil)
        #expect(access(world.folder + "/elsewhere/\(entry.file)", F_OK) == 0)
    }

    @Test(arguments: ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm", "index.sqlite-journal"])
    func linkThatSQLiteWouldFollowIsRefused(_ name: String) throws {
        _ = try store()
        unlink("\(world.root)/\(name)")
        symlink(victim, "\(world.root)/\(name)")

        #expect(throws: UnsafePath.link("\(world.root)/\(name)")) { try world.cache() }
        #expect(isUntouched())
    }

    @Test func rootMayBeASymbolicLink() throws {
        mkdir(world.folder + "/elsewhere", 0o700)
        symlink(world.folder + "/elsewhere", world.root)

        let entry = try store()

        #expect(entry.path.hasPrefix(world.folder + "/elsewhere/scopes/"))
        #expect(try world.cache().lookup(key("moon")) != nil)
    }

    // MARK: Rows

    /// Folder and file names that point outside the root.
    private var escapes: [(folder: String, file: String)] {
        let hash = ScopeName.standard.hash
        let name = String(repeating: "a", count: 32)
        return [
            ("../..", "victim"), ("..", "../../victim"), (hash, "../../../../victim"),
            ("\(hash)/g1/../../../..", "victim"), (hash, "\(name).gif/../../../../../victim"), (hash, victim),
            ("\(hash)/g0/../..", "\(name).gif"), (hash + "x", "\(name).gif"), (hash, "\(name).GIF"), (hash, ""),
        ]
    }

    @Test func rowWithAnInvalidNameHasNoPath() {
        for (folder, file) in escapes { #expect(CacheRoot.blob(file, folder: folder) == nil, "\(folder) \(file)") }
        let (hash, name) = (ScopeName.standard.hash, String(repeating: "a", count: 32))
        #expect(CacheRoot.blob("\(name).gif", folder: hash) == "scopes/\(hash)/aa/\(name).gif")
        #expect(CacheRoot.blob("\(name)-v.webp", folder: "\(hash)/g12") == "scopes/\(hash)/g12/aa/\(name)-v.webp")
        for folder in ["\(hash)/g", "\(hash)/g01", "\(hash)/g+1", "\(hash)/g-1", "\(hash)/x1", "\(hash)/g1/", ""] {
            #expect(CacheRoot.scope(folder) == nil, "\(folder)")
        }
    }

    @Test func entryIsNotStoredInAFolderWithAnInvalidName() throws {
        _ = try store()
        try world.database().execute("UPDATE scopes SET generation = -1")
        let words = try #require(summary { _ = try store("sun") })
        #expect(words.hasPrefix("70 internal: unexpected fault in the cache: \(try key("sun").name)-"), "\(words)")
        #expect(words.hasSuffix(".gif is not a valid file name of an entry"), "\(words)")
        #expect(world.files("scopes").count == 1)
    }

    @Test(arguments: ["", "GIF", "../gif", "gif/", "gif.png", "123456789"])
    func textThatIsNotAnExtensionIsRefused(_ text: String) throws {
        let words = "70 internal: unexpected fault in the cache: \(text) is not a valid file extension"
        let name = try key("moon").name
        #expect(
            summary {
                _ = try CacheRoot.blobName(name, isVariant: false, sha256: SHA256.hex(of: ""), fileExtension: text)
            } == words)
    }

    @Test func fileOutsideTheRootIsNotRemovedForADoomedRow() throws {
        let cache = try world.cache()
        try cache.index.requireWriting()
        for (folder, file) in escapes {
            try cache.index.perform {
                _ = try $0.database.run("INSERT INTO doomed VALUES (?1, ?2)", Value(folder), Value(file))
            }
        }

        _ = try store()
        try world.cache().maintenance.clean { _ in }

        #expect(isUntouched())
        #expect(try cache.index.perform { try $0.database.all("SELECT file FROM doomed") { $0.string(0) } }.isEmpty)
    }

    @Test func purgeRemovesNothingOutsideTheRoot() throws {
        let cache = try world.cache()
        try cache.index.requireWriting()
        mkdir(world.folder + "/aa", 0o700)
        try File.open(world.folder + "/aa/file", O_WRONLY | O_CREAT).write([1])
        try cache.index.perform {
            try $0.database.execute(
                "INSERT INTO scopes (name, folder, generation, purged) VALUES ('x', '../../', 3, 1)")
        }

        try world.cache().scopes.finishPurges()

        #expect(access(world.folder + "/aa/file", F_OK) == 0)
        #expect(try world.cache().scopes.isPurgePending() == false)
    }

    @Test func entryWithAFileOutsideTheRootIsAMiss() throws {
        let entry = try store()
        try world.cache().index.perform {
            _ = try $0.database.run("UPDATE entries SET file = '../../../../victim', bytes = 9")
        }

        #expect(try world.cache().lookup(key("moon")) == nil)
        #expect(try world.cache().statistics().entries == 0)
        _ = try store("mars")
        #expect(isUntouched())
        #expect(access(entry.path, F_OK) == 0)
    }

    // MARK: Recognising a cache

    @Test func folderWithOtherFilesIsRefusedAndUnchanged() throws {
        try write("letter.txt")

        for _ in 0..<2 {
            let error = #expect(throws: CacheFailure.self) { try world.cache() }
            #expect(error == .notACache(root: world.root))
            #expect(error?.exitCode == .configuration)
        }
        #expect(names == ["letter.txt"])
    }

    @Test func readingAMissingCacheCreatesNothing() throws {
        let cache = try world.cache()

        #expect(try cache.lookup(key("moon")) == nil)
        #expect(try cache.statistics().entries == 0)
        #expect(try cache.scopes.all().map(\.name) == [.standard])
        #expect(try cache.allEntries().isEmpty)
        try cache.maintenance.clean(dryRun: true) { _ in }
        cache.close()

        #expect(access(world.root, F_OK) != 0)
        mkdir(world.root, 0o700)
        #expect(try world.cache().lookup(key("moon")) == nil)
        #expect(names.isEmpty)
    }

    @Test func rootCreatedByAnotherProcessIsUsed() throws {
        let cache = try world.cache()
        #expect(try cache.lookup(key("moon")) == nil)

        _ = try store()

        #expect(try cache.lookup(key("moon")) != nil)
        #expect(try cache.remove(key("moon")))
    }

    @Test func cacheIsRecognisedByItsContents() {
        let (hash, tag) = (ScopeName.standard.hash, Array(RootContents.tag.utf8))
        func contents(_ names: [String], tag: [UInt8]? = nil, scopes: [String] = []) -> RootContents {
            RootContents(names: names, tag: tag, scopes: scopes)
        }
        #expect(contents([]) == .empty)
        #expect(contents(["lost+found"]) == .empty)
        #expect(contents(["CACHEDIR.TAG", "notes.txt"], tag: tag) == .cache)
        #expect(contents(["CACHEDIR.TAG", "scopes", "locks"], tag: []) == .cache)
        #expect(contents(["scopes", "index.sqlite-wal", "rebuild"], scopes: [hash]) == .cache)
        #expect(
            contents(["CACHEDIR.TAG"], tag: Array("Signature: 8a477f597d28d172789f06886806bc55\n# cargo".utf8))
                == .foreign)
        #expect(contents(["index.sqlite"]) == .foreign)
        #expect(contents(["scopes", "letter.txt"]) == .foreign)
        #expect(contents(["scopes"], scopes: ["letter.txt"]) == .foreign)
    }

    @Test func databaseOfAnotherProgramIsUnchanged() throws {
        try write("index.sqlite", "")
        let path = world.root + "/index.sqlite"
        do {
            let database = try Database(path: path, root: world.root)
            try database.execute("CREATE TABLE bookmarks (x); CREATE TABLE settings (x)")
        }
        let bytes = try Surroundings.contents(path)

        #expect(throws: CacheFailure.notACache(root: world.root)) { try world.cache() }
        #expect(throws: CacheFailure.notACache(root: world.root)) { try store() }

        #expect(names == ["index.sqlite"])
        #expect(try Surroundings.contents(path) == bytes)
    }

    @Test(arguments: ["PRAGMA application_id = 7", "PRAGMA application_id = 0; DROP TABLE doomed"])
    func indexWithAnotherApplicationIDIsRefused(_ change: String) throws {
        let entry = try store()
        try world.database().execute(change)

        #expect(throws: CacheFailure.notACache(root: world.root)) { try world.cache() }
        #expect(access(entry.path, F_OK) == 0)
        #expect(!names.contains("index.sqlite.damaged"))
    }

    @Test func indexOfAnEarlierVersionIsAccepted() throws {
        _ = try store()
        try world.database().execute("PRAGMA application_id = 0")

        #expect(try world.cache().lookup(key("moon")) != nil)
        #expect(try Schema.origin(of: world.database()) == .ours)
    }

    // MARK: Ownership and permissions

    @Test func worldWritableRootIsRefusedUnlessAllowed() throws {
        _ = try store()
        chmod(world.root, 0o777)

        #expect(throws: UnsafePath.writableByAll(world.root)) { try world.cache() }
        #expect(try world.cache { $0.allowsSharedRoot = true }.lookup(key("moon")) != nil)
        chmod(world.root, 0o755)
        #expect(try world.cache().lookup(key("moon")) != nil)
    }

    @Test(arguments: ["scopes", "partial", "locks"])
    func worldWritableFolderIsRefused(_ name: String) throws {
        _ = try store()
        chmod("\(world.root)/\(name)", 0o777)

        #expect(throws: UnsafePath.writableByAll("\(world.root)/\(name)")) { try world.cache() }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can change the owner of a folder"))
    func rootOfAnotherUserIsRefusedUnlessAllowed() throws {
        _ = try store()
        chown(world.root, 12_345, 12_345)

        let error = #expect(throws: UnsafePath.self) { try world.cache() }
        #expect(error == .owner(world.root, owner: 12_345, user: geteuid()))
        #expect(error?.exitCode == .configuration)
        #expect(try world.cache { $0.allowsSharedRoot = true }.lookup(key("moon")) != nil)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can change the owner of a file"))
    func pictureOwnedByAnotherUserIsAMiss() throws {
        chown(try store().path, 12_345, 12_345)

        #expect(try world.cache().lookup(key("moon")) == nil)
    }
}
