import HTTP
import Libc
import Support

@testable import CacheTools
@testable import Fetch
@testable import Store

/// A temporary root for each test, with a clock that the test controls.
final class Surroundings: Sendable {
    let folder: String
    let time = TestClock()
    let interruption = Interruption()
    let messages = Messages()

    init() throws {
        var template = Array("/tmp/apod-tools-cache-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemFailure(errno: errno, "make a folder") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.removeTree(folder) }

    var root: String { folder + "/root" }

    func cache(
        scope: String? = nil, capacity: Int = 200_000_000, lease: Duration = .seconds(600),
        _ change: (inout CacheSettings) -> Void = { _ in }
    ) throws -> CacheStore {
        var settings = CacheSettings(root: root, scope: try scope.map(ScopeName.init))
        settings.capacity = capacity
        settings.lease = lease
        change(&settings)
        let log = Log(tool: "test", threshold: .detail, write: messages.add)
        return try CacheStore(
            settings: settings, clock: time.clock, log: log, interruption: interruption,
            inspect: CacheStore.wholePicture)
    }

    /// Opens the index. If it is missing, creates an empty database, as earlier versions did.
    func database() throws -> Database {
        let root = CacheRoot(root)
        try root.make()
        if try !root.hasIndex { _ = try root.openToWrite(CacheRoot.index, O_WRONLY) }
        let database = try Database(path: root.index, root: root.path)
        try database.execute("PRAGMA journal_mode = WAL")
        return database
    }

    /// Makes all later changes of a kind, such as `INSERT ON copies`, fail with `CacheFailure.fault`. Returns the
    /// message of the failure.
    func refuse(_ change: String) throws -> String {
        // An SQL error that is not damage to the index.
        let overflow = "SELECT abs(-9223372036854775807 - 1)"
        try database().execute("CREATE TRIGGER refuses BEFORE \(change) BEGIN \(overflow); END")
        return "unexpected fault in the cache: SQLite 1: integer overflow"
    }

    /// Stores a picture of 1,000 bytes under each key, a second apart.
    func store(_ names: [String], in cache: CacheStore) throws {
        for name in names {
            _ = try cache.store(MemorySource(picture(name.hashValue, bytes: 1000)), key: key(name))
            time.advance(.seconds(1))
        }
    }

    /// Marks an entry as unsettled, so that it is inspected again.
    func unsettle(_ entry: Entry, in cache: CacheStore) throws {
        var marked = entry
        marked.needsVerification = true
        try cache.index.write(now: time.now) { try $0.entries.settle(marked) }
    }

    /// Leaves an entry in the state of an interrupted replacement in versions before layout 10: unsettled, and without
    /// a content digest in the file name. Returns the file's path.
    func leaveAsBeforeLayout10(_ entry: Entry, in cache: CacheStore) throws -> String {
        try unsettle(entry, in: cache)
        let name = "\(entry.name).\(entry.fileExtension)"
        let path = "\(entry.path.dropLast(entry.file.utf8.count))\(name)"
        guard rename(entry.path, path) == 0 else { throw SystemFailure(errno: errno, "rename \(entry.path)") }
        try database().run("UPDATE entries SET file = ?1 WHERE id = ?2", Value(name), Value(entry.id))
        return path
    }

    /// Simulates a restart of the machine.
    func restart(_ cache: CacheStore) throws {
        try cache.index.perform {
            try $0.database.execute(
                "UPDATE entries SET boot = 1 WHERE boot IS NOT NULL; UPDATE copies SET boot = 1 WHERE boot IS NOT NULL;"
                    + "INSERT OR REPLACE INTO settings (name, value) VALUES ('boot', '1')")
        }
    }

    func loseIndex() { for suffix in ["", "-wal", "-shm"] { unlink("\(root)/index.sqlite\(suffix)") } }

    func client(_ server: FakeServer, retries: Int = 0) -> HTTPClient {
        HTTPClient(
            transport: server, retries: RetrySchedule(retries: retries), interruption: interruption, clock: time.clock,
            sleep: { _ in })
    }

    /// All regular files below a folder of the root, as sorted relative paths.
    func files(_ name: String) -> [String] { Self.files(below: "\(root)/\(name)").sorted() }

    static func files(below path: String) -> [String] {
        entries(of: path).flatMap { name -> [String] in
            var status = stat()
            lstat("\(path)/\(name)", &status)
            return status.st_mode & S_IFMT == S_IFDIR ? files(below: "\(path)/\(name)").map { "\(name)/\($0)" } : [name]
        }
    }

    static func removeTree(_ path: String) {
        for name in entries(of: path) {
            if unlink("\(path)/\(name)") != 0 { removeTree("\(path)/\(name)") }
        }
        rmdir(path)
    }

    static func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    static func contents(_ path: String) throws -> [UInt8] {
        let file = try File.openInput(path)
        return try file.bytes(0..<file.count)
    }

    static func entries(of path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}

/// A clock that moves only when a test advances it.
final class TestClock: Sendable {
    private let time = Monitor(Timestamp(milliseconds: 1_700_000_000_000))

    var clock: Clock { Clock { [self] in now } }
    var now: Timestamp { time.withLock { $0 } }
    func advance(_ span: Duration) { time.withLock { $0 = $0 + span } }
}

/// Collects logged lines.
final class Messages: Sendable {
    private let lines = Monitor([String]())

    var all: [String] { lines.withLock { $0 } }
    var warnings: [String] { all.filter { $0.hasPrefix("test: warning: ") } }
    @Sendable func add(_ line: String) { lines.withLock { $0.append(line) } }
}

extension CacheStore {
    /// All originals and variants of the scope.
    func allEntries() throws -> [Entry] {
        var filter = EntryFilter()
        filter.kinds = [.original, .variant]
        var listing = try entries(filter)
        var found: [Entry] = []
        while let entry = try listing.next() { found.append(entry) }
        return found
    }
}

/// Returns a GIF of a single pixel with the given number of bytes. The bytes after its end marker depend on the seed.
func picture(_ seed: Int = 0, bytes: Int = 64) -> [UInt8] {
    var result: [UInt8] = [
        0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255, 0x2C, 0, 0, 0, 0, 1, 0, 1,
        0, 0, 2, 2, 0x44, 1, 0, 0x3B,
    ]
    withUnsafeBytes(of: Int64(seed).littleEndian) { result += $0 }
    result += (result.count..<max(bytes, result.count)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed) }
    return result
}

/// The smallest complete PNG: a single grey pixel.
let png: [UInt8] = [
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1, 0, 0, 0, 1, 8, 0,
    0, 0, 0, 0x3A, 0x7E, 0x9B, 0x55, 0, 0, 0, 0x0A, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9C, 0x63, 0x60, 0, 0, 0, 2, 0, 1,
    0x48, 0xAF, 0xA4, 0x71, 0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
]

func key(_ text: String) throws -> CacheKey { try CacheKey(printed: text) }

/// Runs `body` on `count` threads concurrently, and returns their results or errors.
func together<Result: Sendable>(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> Result
) throws -> [Swift.Result<Result, any Error>] {
    let results = Monitor([Int: Swift.Result<Result, any Error>]())
    let threads = try (0..<count).map { number in
        try Thread.start {
            let result = Swift.Result { try body(number) }
            results.update { $0[number] = result }
        }
    }
    for thread in threads { thread.join() }
    return results.withLock { results in (0..<count).compactMap { results[$0] } }
}

extension CacheStore {
    /// Removes the entry, the cached failures and the copies of a key, like `img-cache rm`. Returns false if there is no
    /// entry.
    @discardableResult
    func remove(_ key: CacheKey) throws -> Bool {
        try forget(key)
        guard let entry = try peek(key) else { return false }
        return try remove(entry).entries > 0
    }

    func fetch(
        _ request: HTTPRequest, key: CacheKey? = nil, client: HTTPClient, inspect: Inspection? = nil,
        expiry: Expiry? = nil, watcher: (any BodyWatcher)? = nil, change: (inout FetchRequest) -> Void = { _ in }
    ) throws -> (entry: Entry, status: CacheStatus) {
        var fetch = FetchRequest(request, key: key, expiry: expiry, inspect: inspect)
        change(&fetch)
        return try self.fetch(fetch, client: client, watcher: watcher)
    }
}

extension EphemeralStore {
    func fetch(_ request: HTTPRequest, client: HTTPClient, inspect: Inspection? = nil) throws -> Entry {
        try fetch(FetchRequest(request, inspect: inspect), client: client)
    }
}
