import HTTP
import Libc
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Full disks, simulated by a limit on the size of files. The limit applies to a whole process, so each test runs in a
/// separate process.
@Suite struct DiskFullTests {
    @Test func storeThatDoesNotFitFailsAndLeavesNoFile() async {
        await #expect(processExitsWith: .success) {
            let world = try Surroundings()
            let cache = try world.cache()
            _ = try cache.store(MemorySource(picture(1)), key: key("small"))
            try limitFiles(to: 1 << 20)

            let error = #expect(throws: SystemFailure.self) {
                try cache.store(MemorySource(picture(2, bytes: 2 << 20)), key: key("large"))
            }

            #expect(error?.exitCode == .io)
            #expect(world.files("partial").isEmpty)
            #expect(world.files("scopes").count == 1)
            #expect(try cache.lookup(key("small")) != nil)
            #expect(try cache.lookup(key("large")) == nil)
        }
    }

    @Test func fetchThatDoesNotFitFailsAndLeavesNoFile() async {
        await #expect(processExitsWith: .success) {
            let world = try Surroundings()
            let cache = try world.cache()
            try limitFiles(to: 1 << 20)

            let error = #expect(throws: SystemFailure.self) {
                try cache.fetch(
                    HTTPRequest("https://pictures.example/a"),
                    client: world.client(FakeServer(picture(2, bytes: 2 << 20), etag: "\"1\"")))
            }

            #expect(error?.exitCode == .io)
            #expect(world.files("partial").isEmpty)
            #expect(world.files("scopes").isEmpty)
        }
    }

    @Test func metadataThatDoesNotFitIsRolledBack() async {
        await #expect(processExitsWith: .success) {
            let world = try Surroundings()
            let cache = try world.cache()
            func days(_ range: Range<Int>) -> [Metadata] {
                range.map {
                    Metadata(name: "\($0)", body: Array(repeating: 7, count: 1500), fetchedAt: world.time.now)
                }
            }
            try cache.metadata.keep(days(100..<120), in: "days")
            try limitFiles(to: 1 << 18)

            let error = #expect(throws: CacheFailure.self) { try cache.metadata.keep(days(200..<900), in: "days") }

            #expect(error?.exitCode == .io)
            #expect(try cache.metadata.items(in: "days", from: "100", through: "999") == days(100..<120))
            #expect(try world.cache().metadata.items(in: "days", from: "100", through: "999") == days(100..<120))
        }
    }

    @Test func metadataThatDoesNotFitIsNotRecovered() async {
        await #expect(processExitsWith: .success) {
            let world = try Surroundings()
            let cache = try world.cache()
            let days = (100..<700).map {
                Metadata(name: "\($0)", body: Array(repeating: 7, count: 1500), fetchedAt: world.time.now)
            }
            try cache.metadata.keep(days, in: "days")
            try limitFiles(to: 1 << 18)

            try cache.index.setAside()

            let words = "test: cannot recover more metadata from the damaged index: "
            #expect(world.messages.all.contains { $0.hasPrefix(words) }, "\(world.messages.all)")
            #expect(try cache.metadata.items(in: "days", from: "100", through: "999").count < 600)
        }
    }

    @Test func hitNeedsNoDiskSpace() async {
        await #expect(processExitsWith: .success) {
            let world = try Surroundings()
            let cache = try world.cache()
            _ = try cache.store(MemorySource(picture(1)), key: key("small"))
            world.time.advance(.seconds(1000))
            try limitFiles(to: 0)

            #expect(try cache.lookup(key("small")) != nil)
            let words = "test: cannot record the use of an entry: "
            #expect(world.messages.all.contains { $0.hasPrefix(words) }, "\(world.messages.all)")
        }
    }
}

/// Limits the size of each file that this process writes from now on.
func limitFiles(to bytes: Int) throws {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
    #if canImport(Glibc)
    let status = setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #else
    let status = setrlimit(RLIMIT_FSIZE, &limit)
    #endif
    if status != 0 { throw SystemFailure(errno: errno, "limit the size of files") }
}
