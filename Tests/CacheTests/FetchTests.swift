import Formats
import HTTP
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

@Suite struct FetchTests {
    private let world: Surroundings
    private let moon: HTTPRequest

    init() throws {
        world = try Surroundings()
        moon = try HTTPRequest("https://pictures.example/moon.gif")
    }

    @Test func secondFetchIsAHit() throws {
        let cache = try world.cache()
        let server = FakeServer(picture(1))

        let (first, firstStatus) = try cache.fetch(moon, client: world.client(server))
        let (second, secondStatus) = try cache.fetch(moon, client: world.client(server))

        #expect(firstStatus == .miss)
        #expect(secondStatus == .hit)
        #expect(second.path == first.path)
        #expect(try Surroundings.contents(first.path) == picture(1))
        #expect(first.sha256 == (try BlobStore.sha256(of: MemorySource(picture(1)))))
        #expect(first.key == "https://pictures.example/moon.gif")
        #expect(server.requests.count == 1)
        #expect(try cache.statistics()[.bytesFetched] == picture(1).count)
    }

    @Test func expiredEntryIsRevalidatedWithItsETag() throws {
        let cache = try world.cache { $0.ttl = .seconds(100) }
        let server = FakeServer { request, _ in
            request.header("If-None-Match") == "\"1\""
                ? .init(status: 304, headers: [("ETag", "\"1\"")])
                : .init(
                    headers: [("ETag", "\"1\""), ("Last-Modified", "Tue, 14 Nov 2023 00:00:00 GMT")], body: picture())
        }
        let first = try cache.fetch(moon, client: world.client(server)).entry
        world.time.advance(.seconds(100))

        let (entry, status) = try cache.fetch(moon, client: world.client(server))

        #expect(status == .revalidated)
        #expect(entry.path == first.path)
        #expect(entry.expiresAt == world.time.now + .seconds(100))
        #expect(server.requests[1].header("If-Modified-Since") == "Tue, 14 Nov 2023 00:00:00 GMT")
        #expect(entry.validators.lastModified == "Tue, 14 Nov 2023 00:00:00 GMT")
        #expect(try cache.fetch(moon, client: world.client(server)).status == .hit)
        #expect(world.files("partial").isEmpty)
    }

    @Test func fetchIsRepeatedIfTheRootIsRemovedDuringIt() throws {
        let root = world.root
        let server = FakeServer { _, number in
            if number == 0 { Surroundings.removeTree(root) }
            return .init(body: picture())
        }

        let (entry, status) = try world.cache().fetch(moon, client: world.client(server))

        #expect(try status == .miss && File.exists(entry.path))
        #expect(server.requests.count == 2)
        let words = "test: the folder of the cache was removed: "
        #expect(world.messages.all.count { $0.hasPrefix(words) } == 1, "\(world.messages.all)")
    }

    @Test func expiredEntryIsReplacedIfTheServersContentChanged() throws {
        let cache = try world.cache { $0.ttl = .seconds(100) }
        let server = FakeServer { _, number in .init(headers: [("ETag", "\"\(number)\"")], body: picture(number)) }
        _ = try cache.fetch(moon, client: world.client(server))
        world.time.advance(.seconds(100))

        let (entry, status) = try cache.fetch(moon, client: world.client(server))

        #expect(status == .miss)
        #expect(try Surroundings.contents(entry.path) == picture(1))
        #expect(entry.validators.etag == "\"1\"")
    }

    @Test func expiredEntryIsServedStaleWithAWarningAfterATransientFailure() throws {
        let cache = try world.cache { $0.ttl = .seconds(100) }
        let server = FakeServer { _, number in
            number == 0 ? .init(body: picture()) : .init(status: 503)
        }
        _ = try cache.fetch(moon, client: world.client(server))
        world.time.advance(.seconds(100))

        let (_, status) = try cache.fetch(moon, client: world.client(server))

        #expect(status == .stale)
        #expect(
            world.messages.warnings == [
                "test: warning: https://pictures.example/moon.gif answered 503: server error; try again later; "
                    + "using the copy from 2023-11-14T22:13:20Z\n"
            ])
        #expect(try cache.statistics()[.stale] == 1)
    }

    @Test func expiredEntryIsNotServedUnderNoStaleOrAfterAPermanentFailure() throws {
        let server = FakeServer { _, number in number == 0 ? .init(body: picture()) : .init(status: 503) }
        let gone = FakeServer { _, _ in .init(status: 404) }
        let cache = try world.cache {
            $0.ttl = .seconds(100)
            $0.servesStale = false
        }
        _ = try cache.fetch(moon, client: world.client(server))
        world.time.advance(.seconds(100))

        #expect(throws: FetchFailure.self) { try cache.fetch(moon, client: world.client(server)) }
        #expect(throws: FetchFailure.self) { try world.cache().fetch(moon, client: world.client(gone)) }
    }

    @Test func offlineSendsNoRequest() throws {
        let server = FakeServer(picture())
        _ = try world.cache { $0.ttl = .seconds(100) }.fetch(moon, client: world.client(server))
        let offline = try world.cache { $0.isOffline = true }

        #expect(try offline.fetch(moon, client: world.client(server)).status == .hit)
        world.time.advance(.seconds(100))
        #expect(try offline.fetch(moon, client: world.client(server)).status == .stale)
        let error = #expect(throws: CacheFailure.self) {
            try offline.fetch(try HTTPRequest("https://pictures.example/mars.gif"), client: world.client(server))
        }
        #expect(error?.exitCode == .temporary)
        #expect(server.requests.count == 1)
    }

    @Test func refreshFetchesAFreshEntryAgain() throws {
        let server = FakeServer { _, number in .init(body: picture(number)) }
        _ = try world.cache().fetch(moon, client: world.client(server))
        world.time.advance(.seconds(1))

        let (entry, status) = try world.cache { $0.refreshes = true }.fetch(moon, client: world.client(server))

        #expect(status == .miss)
        #expect(try Surroundings.contents(entry.path) == picture(1))
    }

    @Test func lookupReturnsExpiredEntriesAsStale() throws {
        let cache = try world.cache { $0.ttl = .seconds(100) }
        _ = try cache.store(MemorySource(picture()), key: key("moon"))
        world.time.advance(.seconds(101))

        let entry = try #require(try cache.lookup(key("moon")))

        #expect(cache.status(of: entry) == .stale)
    }

    @Test(arguments: [
        Array("<!DOCTYPE html><title>Sign in</title>".utf8), [], Array(png.dropLast(12)),
    ])
    func bodyThatIsNotACompletePictureIsNeverStored(_ body: [UInt8]) throws {
        let cache = try world.cache()

        #expect(throws: FormatFailure.self) {
            try cache.fetch(moon, client: world.client(FakeServer(body, etag: "\"1\"")))
        }

        #expect(try cache.lookup(CacheKey(url: moon.url)) == nil)
        #expect(world.files("scopes").isEmpty)
        #expect(world.files("partial").isEmpty)
    }

    @Test func badAnswerDoesNotReplaceAnExpiredEntry() throws {
        let cache = try world.cache { $0.ttl = .seconds(100) }
        let server = FakeServer { _, number in .init(body: number == 0 ? picture() : Array("<html>".utf8)) }
        let first = try cache.fetch(moon, client: world.client(server)).entry
        world.time.advance(.seconds(100))

        #expect(throws: FormatFailure.self) { try cache.fetch(moon, client: world.client(server)) }

        #expect(try Surroundings.contents(first.path) == picture())
        #expect(try cache.lookup(CacheKey(url: moon.url)) != nil)
    }

    @Test func interruptedDownloadIsResumedByTheNextProcess() throws {
        let whole = picture(1, bytes: 200_000)
        let server = FakeServer { request, number in
            guard let start = request.rangeStart else {
                return .init(headers: [("ETag", "\"1\"")], body: whole, breaksAfter: number == 0 ? 120_000 : nil)
            }
            return .init(
                status: 206, headers: [("ETag", "\"1\""), ("Content-Range", "bytes \(start)-199999/200000")],
                body: Array(whole[start...]))
        }
        #expect(throws: FetchFailure.self) { try world.cache().fetch(moon, client: world.client(server)) }

        let (entry, _) = try world.cache().fetch(moon, client: world.client(server))

        #expect(server.requests[1].rangeStart == 120_000)
        #expect(server.requests[1].header("If-Range") == "\"1\"")
        #expect(try Surroundings.contents(entry.path) == whole)
        #expect(entry.sha256 == (try BlobStore.sha256(of: MemorySource(whole))))
        #expect(world.files("partial").isEmpty)
    }

    @Test func bytesOfTwoVersionsAreNeverJoined() throws {
        let (old, new) = (picture(1, bytes: 200_000), picture(2, bytes: 200_000))
        let server = FakeServer { request, number in
            if number == 0 { return .init(headers: [("ETag", "\"1\"")], body: old, breaksAfter: 100_000) }
            // The server supports ranges, but ignores If-Range.
            guard let start = request.rangeStart else { return .init(headers: [("ETag", "\"2\"")], body: new) }
            return .init(
                status: 206, headers: [("ETag", "\"2\""), ("Content-Range", "bytes \(start)-199999/200000")],
                body: Array(new[start...]))
        }
        #expect(throws: FetchFailure.self) { try world.cache().fetch(moon, client: world.client(server)) }

        let (entry, _) = try world.cache().fetch(moon, client: world.client(server))

        #expect(try Surroundings.contents(entry.path) == new)
        #expect(server.requests.map(\.rangeStart) == [nil, 100_000, nil])
    }

    @Test func downloadWithoutAStrongValidatorRestarts() throws {
        let server = FakeServer { _, number in
            .init(headers: [("ETag", "W/\"1\"")], body: picture(1, bytes: 9000), breaksAfter: number == 0 ? 5000 : nil)
        }
        #expect(throws: FetchFailure.self) { try world.cache().fetch(moon, client: world.client(server)) }
        #expect(world.files("partial").isEmpty)

        let (entry, _) = try world.cache().fetch(moon, client: world.client(server))

        #expect(server.requests[1].rangeStart == nil)
        #expect(entry.bytes == 9000)
    }

    @Test func retryRestartsTheFile() throws {
        let server = FakeServer { _, number in
            .init(body: picture(number, bytes: 9000), breaksAfter: number == 0 ? 5000 : nil)
        }

        let (entry, _) = try world.cache().fetch(moon, client: world.client(server, retries: 2))

        #expect(try Surroundings.contents(entry.path) == picture(1, bytes: 9000))
        #expect(entry.sha256 == (try BlobStore.sha256(of: MemorySource(picture(1, bytes: 9000)))))
    }

    @Test func completePartialFileIsFetchedAgain() throws {
        let whole = picture(1, bytes: 9000)
        let server = FakeServer { request, number in
            if request.rangeStart != nil { return .init(status: 416) }
            return .init(headers: [("ETag", "\"1\"")], body: whole, breaksAfter: number == 0 ? 9000 : nil)
        }
        #expect(throws: FetchFailure.self) { try world.cache().fetch(moon, client: world.client(server)) }

        #expect(try world.cache().fetch(moon, client: world.client(server)).entry.bytes == 9000)
    }

    @Test func customKeyIsNotRevalidatedWithAnotherServer() throws {
        let cache = try world.cache { $0.ttl = .seconds(100) }
        let server = FakeServer(picture(), etag: "\"1\"")
        _ = try cache.fetch(moon, key: key("today"), client: world.client(server))
        world.time.advance(.seconds(100))

        _ = try cache.fetch(
            HTTPRequest("https://other.example/sun.gif"), key: key("today"), client: world.client(server))

        #expect(server.requests[1].header("If-None-Match") == nil)
    }

    @Test func secretsAreNeverStored() throws {
        let cache = try world.cache()
        var request = try HTTPRequest("https://user:sesame1@pictures.example/moon.gif?api_key=sesame2")
        request.headers = [HTTPHeader("Authorization", "Bearer sesame3")]

        let (entry, _) = try cache.fetch(request, client: world.client(FakeServer(picture(), etag: "\"1\"")))
        cache.close()

        #expect(entry.url?.contains("sesame") == false)
        for file in world.files("") {
            let text = String(decoding: try Surroundings.contents("\(world.root)/\(file)"), as: UTF8.self)
            #expect(!text.contains("sesame"), "\(file)")
        }
        #expect(!world.messages.all.joined().contains("sesame"))
        #expect(try cache.fetch(request, client: world.client(FakeServer([]))).status == .hit)
    }
}
