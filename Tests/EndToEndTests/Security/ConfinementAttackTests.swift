#if os(Linux)
import Libc
import Support
import TestSupport
import Testing

/// Attacks from within confined processes, under the sandbox plans of all four tools, as an ordinary user and as root.
/// The probe reports error numbers; the tests then check files and processes from outside.
@Suite(.enabled(if: canConfine))
struct ConfinementAttackTests {
    /// The user `nobody` on Debian.
    private static let nobody: uid_t = 65534

    private static let users: [uid_t] = {
        if geteuid() == 0 { return [0, nobody] }
        print("NOT ROOT: the attacks of a tool that root runs are SKIPPED")
        return [geteuid()]
    }()

    /// The sandbox requirements of the commands; `%` is replaced by the cache's folder.
    private static let plans: [[String]] = [
        // img-cache get, ls, info
        ["cache=%"],
        // img-cache put, gif-cache put, apod-fetch
        ["cache=%", "network", "codecs"],
        // gif-cache get
        ["cache=%", "codecs"],
        // img-downsample -o, --output-dir, gallery
        ["cache=%", "output=%/out.png", "text", "codecs"],
        ["no-cache", "cache=%", "folder=%", "text", "codecs"],
        // img-downsample to standard output
        ["no-cache", "cache=%", "output=-", "codecs"],
        // img-cache push, pull
        ["cache=%", "folder=%", "network"],
    ]

    private struct Place {
        let folder: TemporaryFolder
        let outside: String
        let cache: String
        var victim: String { outside + "/victim" }

        init(of user: uid_t) throws {
            folder = try TemporaryFolder()
            outside = try folder.makeFolder("outside")
            cache = try folder.makeFolder("cache")
            try folder.write("outside/victim", "secret")
            #expect(chmod(victim, 0o600) == 0 && chmod(outside, 0o700) == 0 && chmod(cache, 0o700) == 0)
            for path in [folder.path, outside, cache, victim] { #expect(chown(path, user, gid_t.max) == 0) }
        }

        /// The state of the files outside the cache, which an attack could change.
        func state() throws -> [String] {
            try [outside, victim].map { path in
                var status = stat()
                try #require(lstat(path, &status) == 0)
                let times = [status.st_mtim, status.st_ctim].map { "\($0.tv_sec).\($0.tv_nsec)" }
                return "\(status.st_mode) \(status.st_uid) \(status.st_gid) \(status.st_size) \(times)"
            } + TemporaryFolder.names(in: outside).sorted() + [String(decoding: TestFile.bytes(victim), as: UTF8.self)]
        }
    }

    @Test(arguments: plans, users)
    func everyAttackFailsAndChangesNothing(_ plan: [String], _ user: uid_t) throws {
        let home = try ToolHome()
        let place = try Place(of: user)
        let isRoot = geteuid() == 0
        let plan =
            (isRoot ? ["user=\(user)"] : [])
            + plan.map { $0.split(separator: "%", omittingEmptySubsequences: false).joined(separator: place.cache) }
        // The probe creates its socket, which modifies the folder, before it is confined.
        let probe = try home.start("confinement-probe", plan + ["attack=\(place.outside)", "hold", "--"])
        while let line = probe.readErrorLine(), line != "prepared" {}
        let before = try place.state()
        probe.closeInput()
        let output = try probe.wait().expect(0)

        let process = try #require(output.lines.first { $0.hasPrefix("process ") }.flatMap { Int32($0.dropFirst(8)) })
        defer { kill(process, SIGKILL) }
        let attempts = output.lines.filter { $0.hasPrefix("attempt ") }.map { $0.split(separator: " ") }
        #expect(attempts.count >= 200)
        for attempt in attempts { #expect(attempt[2] != "0", "\(attempt[1]) succeeded") }

        #expect(try place.state() == before)
        // The cache may contain only the regular file `own`, which the plan allows the attacks to create.
        for name in TemporaryFolder.names(in: place.cache) {
            #expect(name == "own", "\(name)")
            var status = stat()
            #expect(lstat("\(place.cache)/\(name)", &status) == 0 && status.st_mode & 0o7777 == 0o600)
            let file = try File.open("\(place.cache)/\(name)", O_RDONLY)
            for attribute in ["security.capability", "security.x", "trusted.x"] {
                #expect(file.attribute(attribute) == nil, "\(attribute)")
            }
        }
        // The attacked process still runs unchanged. It received no datagram, because a datagram would have ended it.
        let limits = try home.shell("grep 'Max cpu time' /proc/\(process)/limits").expect(0)
        #expect(limits.stdout.contains("unlimited"))
        func status() throws -> [String] {
            try home.shell("cut -d ' ' -f 3,19 /proc/\(process)/stat").expect(0).lines.map { String($0) }
        }
        var found = try status()
        // On a busy machine, the process may not be asleep yet.
        var looks = 1
        while found == ["R 0"], looks < 1000 {
            found = try status()
            looks += 1
        }
        #expect(found == ["S 0"])
    }
}
#endif
