import Libc
import Support
import TestSupport
import Testing

/// A cache root in an earlier layout, as the tools of that time wrote it, with entries in two scopes and all features
/// of the layout. Its pictures come from a sample service.
struct OlderRoot {
    /// The number of the layout.
    let layout: Int
    let service: SampleServer
    let home: ToolHome
    private let root: CacheOnDisk
    private let now = Timestamp.now().milliseconds
    /// The address of a pinned entry.
    var pinned: String { url("pinned") }
    var fresh: String { url("fresh") }
    var expired: String { url("expired") }
    var leased: String { url("leased") }
    /// An address that answers 404. From layout 4 on, the failure is remembered.
    var missing: String { service.url("/pictures/missing.jpg", faults: ["status-404"]) }
    /// The keys in the scope `default`, in the order of `ls`.
    var keys: [String] { [pinned, fresh, expired, leased, "key:mine"] }

    private static let minute: Int64 = 60_000
    private static let day: Int64 = 86_400_000
    static let keptDay = "2024-02-01"

    /// - Parameters:
    ///   - layout: from 1 to the number of `IndexLayouts.steps`.
    ///   - service: nil starts a new service.
    init(layout: Int, service: SampleServer? = nil) throws {
        let service = try service ?? SampleServer(["--size", "40x30", "--exercises", "20"])
        self.layout = layout
        self.service = service
        home = try ToolHome(environment: service.environment)
        root = CacheOnDisk(home)
        // The file name of a variant depends on all settings that affect its bytes, so a tool creates the file.
        let variant = try ToolHome(environment: service.environment).shell(
            "img-cache put '\(fresh)' | img-downsample --variant pager --print variants.pager.path | tee path"
                + "; cp \"$(cat path)\" '\(home.work)'")
        try variant.expect(0)

        try home.folder.makeFolder("cache/apod-tools")
        for folder in ["partial", "locks"] { try home.folder.makeFolder("cache/apod-tools/\(folder)") }
        try write("CACHEDIR.TAG", Array(Self.tag.utf8))
        try write("index.sqlite", [])
        for step in IndexLayouts.steps.prefix(layout) { try root.execute(step) }
        try root.execute("PRAGMA user_version = \(layout); PRAGMA journal_mode = WAL")
        // Layouts before 5 have no application ID.
        if layout >= 5 { try root.execute("PRAGMA application_id = 0x41504F44") }
        try addScopes()
        for (age, key) in keys.enumerated() { try addEntry(key, usedBefore: Int64(age)) }
        try addEntry(fresh, scope: 2)
        let file = String(try #require(variant.lines.first?.split(separator: "/").last))
        // In earlier layouts, the file name of a variant contained no content digest.
        let old = "\(file.prefix { $0 != "-" })-v.jpg"
        try addVariant(old, home.folder.read("work/\(file)"))
        try addLeftovers()
        if layout >= 3 { try root.execute("UPDATE entries SET must_revalidate = 1 WHERE key = '\(expired)'") }
        if layout >= 4 { try addFailure() }
        if layout >= 5 { try addDayAndQuota() }
        try service.reset()
    }

    private static let tag = """
        Signature: 8a477f597d28d172789f06886806bc55
        # This folder is a cache of apod-tools. It can be removed at any time.
        # See https://bford.info/cachedir/

        """

    /// The body at an address of the service.
    func bytes(_ address: String) throws -> [UInt8] { try LoopbackClient.send(address).body }

    private func url(_ name: String) -> String { service.url("/pictures/\(name).jpg") }

    private func write(_ path: String, _ bytes: [UInt8]) throws {
        try home.folder.write("cache/apod-tools/\(path)", bytes)
    }

    private func hash(_ text: String) -> String { String(SHA256.hex(of: text).prefix(32)) }

    /// The folder of a scope. From layout 2 on, scopes have generations, and `alice` was purged once.
    private func folder(_ scope: Int) -> String {
        scope == 1 ? hash("default") : hash("alice") + (layout >= 2 ? "/g1" : "")
    }

    private func addScopes() throws {
        try root.execute(
            """
            INSERT INTO scopes (id, name, folder, generation) VALUES
                (1, 'default', '\(folder(1))', 0), (2, 'alice', '\(folder(2))', \(layout >= 2 ? 1 : 0));
            INSERT INTO counters VALUES (1, 'hits', 41, \(now - Self.day)), (1, 'misses', 7, \(now - Self.day));
            """)
        if layout >= 2 {
            try root.execute(
                """
                INSERT INTO settings VALUES ('current_scope', 'alice');
                INSERT INTO scopes (id, name, folder, generation, purged) VALUES (3, 'alice', '\(hash("alice"))', 0, 1);
                """)
        }
    }

    /// Adds a picture to a scope, last used `hours` ago.
    private func addEntry(_ key: String, scope: Int = 1, usedBefore hours: Int64 = 0) throws {
        let address = key.hasPrefix("http") ? key : url("mine")
        try addEntry(
            key, of: address, bytes(address), type: "image/jpeg", suffix: "jpg", scope: scope, usedBefore: hours)
    }

    /// Adds an entry with these bytes under a custom key.
    func add(_ key: String, _ bytes: [UInt8], type: String, suffix: String) throws {
        try addEntry(key, of: url("mine"), bytes, type: type, suffix: suffix)
    }

    private func addEntry(
        _ key: String, of address: String, _ bytes: [UInt8], type: String, suffix: String, scope: Int = 1,
        usedBefore hours: Int64 = 0
    ) throws {
        let name = hash(key)
        try write("scopes/\(folder(scope))/\(name.prefix(2))/\(name).\(suffix)", bytes)
        let fetched = now - 2 * Self.day
        let used = now - hours * 60 * Self.minute - 20 * Self.minute
        let expires = key == expired ? now - Self.minute : now + Self.day
        let lease = key == leased ? now + 30 * Self.minute : used + 11 * Self.minute
        try root.execute(
            """
            INSERT INTO entries (scope, name, key, kind, url, file, bytes, content_type, sha256, width, height, etag,
                last_modified, fetched_at, expires_at, last_used, lease_until, pinned)
            VALUES (\(scope), '\(name)', '\(key)', 0, '\(address)', '\(name).\(suffix)', \(bytes.count), '\(type)',
                '\(sha256(bytes))', 40, 30, NULL, 'Thu, 01 Oct 2026 00:00:00 GMT', \(fetched), \(expires), \(used),
                \(lease), \(key == pinned ? 1 : 0));
            """)
    }

    private func addVariant(_ file: String, _ bytes: [UInt8]) throws {
        let name = file.prefix { $0 != "-" }
        try write("scopes/\(folder(1))/\(name.prefix(2))/\(file)", bytes)
        try root.execute(
            """
            INSERT INTO entries (scope, name, key, kind, parent, parent_sha256, url, file, bytes, content_type, sha256,
                width, height, fetched_at, expires_at, last_used, lease_until)
            SELECT 1, '\(name)', key, 1, name, sha256, url, '\(file)', \(bytes.count), 'image/jpeg',
                '\(sha256(bytes))', 40, 30, fetched_at, expires_at, last_used, lease_until
            FROM entries WHERE scope = 1 AND key = '\(fresh)';
            """)
    }

    /// Adds leftovers of killed processes: a file without a row, a replaced file with an expired lease and, from layout
    /// 2 on, the folder of a scope that was being purged.
    private func addLeftovers() throws {
        let doomed = hash("doomed")
        try write("scopes/\(folder(1))/\(doomed.prefix(2))/\(doomed).png", [1, 2, 3])
        let replaced = "\(hash("replaced")).png"
        try write("scopes/\(folder(1))/\(replaced.prefix(2))/\(replaced)", [4, 5, 6])
        try root.execute(
            """
            INSERT INTO doomed VALUES ('\(folder(1))', '\(doomed).png');
            INSERT INTO entries (scope, name, kind, file, bytes, content_type, sha256, fetched_at, expires_at,
                last_used, lease_until)
            VALUES (1, '\(replaced)', 2, '\(replaced)', 3, 'image/png', '\(sha256([4, 5, 6]))', \(now - Self.day),
                \(now + Self.day), \(now - Self.day), \(now - Self.day));
            """)
        if layout >= 2 { try write("scopes/\(hash("alice"))/aa/\(String(repeating: "a", count: 32)).jpg", [7]) }
    }

    private func addFailure() throws {
        try root.execute(
            """
            INSERT INTO negatives (scope, name, address, code, message, exit, since, until) VALUES
                (1, '\(hash(missing))', '\(SHA256.hex(of: missing))', 'not-found', 'nothing is there', 69,
                \(now - Self.minute), \(now + 9 * Self.minute));
            """)
    }

    /// Adds a day that can no longer change, and a quota that is exhausted for an hour.
    private func addDayAndQuota() throws {
        let fetched: Int64 = 1_710_000_000_000
        let text = """
            {"date":"\(Self.keptDay)","title":"Kept","explanation":"Kept long ago.",\
            "url":"\(url("day"))","hdurl":"\(url("day"))","media_type":"image","service_version":"v2",\
            "kept":{"edition":2,"address":"\(service.address)/wp-json/wp/v2/apod-basic"}}
            """
        // gif-cache stores a quota for each server address and value of this header.
        let server = "\(service.address)\nx-rapidapi-host: 127.0.0.1"
        let quota =
            "limit=5 remaining=0 window=3600000 refused=\(now + 60 * Self.minute) count=5 answered=5 changed=\(now)"
        var digest = SHA256()
        var said = "apod/science\0\(Self.keptDay)\0\(fetched) never\0" + text
        said.withUTF8 { digest.update(UnsafeRawBufferPointer($0)) }
        try root.execute(
            """
            INSERT INTO metadata (scope, collection, name, fetched_at, bytes, digest, body) VALUES
                (1, 'apod/science', '\(Self.keptDay)', \(fetched), \(text.utf8.count), \(digest.finishAsNumber()),
                CAST('\(text)' AS BLOB));
            INSERT INTO quotas VALUES ('\(SHA256.hex(of: server))',
                '\(quota)', \(now));
            """)
    }

    private func sha256(_ bytes: [UInt8]) -> String {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.finish()
    }
}
