import CacheTools
import Fetch
import Formats
import HTTP
import Records
import Store
import Support
import TestSupport
import Testing

@testable import GIFs

@Suite struct GIFCacheTests {
    private let folder: TemporaryFolder
    private let gif: ExerciseGIF

    init() throws {
        folder = try TemporaryFolder()
        gif = try ExerciseGIF(id: ExerciseID("0001"))
    }

    private func find() throws -> FoundEntry {
        let caches = Caches(settings: CacheSettings(root: folder.path("cache")), interruption: Interruption())
        let naming = GIFNaming(service: try ExerciseService(), resolutions: [.standard])
        return try caches.find(RecordJob(Record(), argument: gif.id.text), naming)
    }

    /// Returns a cache whose requests use `transport`, without pauses before retries. Its clock is `days` days ahead.
    private func cache(
        _ transport: CannedTransport, days: Int64 = 0, expiry: Expiry? = nil,
        address: String = ExerciseService.standardAddress
    ) throws -> GIFCache {
        let time = Timestamp.now() + .seconds(days * 86_400)
        let clock = Clock { time }
        let interruption = Interruption()
        let caches = Caches(
            settings: CacheSettings(root: folder.path("cache")), clock: clock, interruption: interruption)
        let quota = ServiceQuota()
        let client = HTTPClient(
            transport: ExerciseTransport(over: transport, quota: quota), interruption: interruption, clock: clock,
            sleep: { _ in })
        return GIFCache(
            caches: caches, service: try ExerciseService(address: address, key: "k"), client: client, expiry: expiry,
            quota: quota)
    }

    @Test func secondPutMakesNoRequest() throws {
        let transport = CannedTransport(gif: TinyGIF.bytes)
        let first = try cache(transport).put(gif)
        #expect(first.status == .miss)
        #expect(
            try GIFFacts(of: first.entry)
                == GIFFacts(size: PixelSize(width: 4, height: 3), frames: 2, durationMilliseconds: 120, loop: 0))
        #expect(first.entry.key == "exercisedb:0001@180")
        let second = try cache(transport).put(gif)
        #expect(second.status == .hit)
        #expect(second.entry.details == first.entry.details)
        #expect(transport.requests == 1)
    }

    @Test func storedGIFIsFound() throws {
        #expect(failureCode { _ = try find() } == "not-cached")
        _ = try cache(CannedTransport(gif: TinyGIF.bytes)).put(gif)
        let found = try find()
        #expect(try found.entry.gif == gif && GIFFacts(of: found.entry)?.frames == 2 && found.status == .hit)
        let file = try File.openInput(found.entry.path)
        #expect(try file.bytes(0..<file.count) == TinyGIF.bytes)
    }

    @Test func onlyFreshGIFsAreServedDuringPreparation() throws {
        let transport = CannedTransport(gif: TinyGIF.bytes)
        /// Returns the record that `prepare` completes; nil if work remains.
        func record(days: Int64 = 0) throws -> Record? {
            let naming = GIFNaming(service: try ExerciseService(), resolutions: [.standard])
            let tool = GIFTool(cache: try cache(transport, days: days), naming: naming, placeholder: nil)
            guard case .done(let record) = tool.prepare(RecordJob(Record(), argument: "0001")) else { return nil }
            return record
        }
        #expect(try record() == nil)
        let item = try cache(transport).put(gif)
        let again = try #require(try record())
        #expect(again.string("path") == item.entry.path && again.string("cache.status") == "hit")
        #expect(again.integer("gif.frames") == 2 && again.integer("gif.resolution") == 180)
        #expect(try record(days: 15) == nil)
        #expect(transport.requests == 1)
    }

    @Test func expiryOfAYearAppliesToGIFsStoredWithAShorterExpiry() throws {
        let transport = CannedTransport(gif: TinyGIF.bytes)
        _ = try cache(transport).put(gif)
        #expect(try !cache(transport, days: 300).isFresh(gif))
        #expect(try cache(transport, days: 300, expiry: GIFCache.usualExpiry).isFresh(gif))
        #expect(try cache(transport, days: 300, expiry: GIFCache.usualExpiry).put(gif).status == .hit)
        #expect(transport.requests == 1)
        #expect(try cache(transport, days: 366, expiry: GIFCache.usualExpiry).put(gif).status == .revalidated)
        #expect(transport.requests == 2)
    }

    @Test(arguments: [("40", 2), ("2000", 10), ("19", 1), (nil, 10)])
    func revalidationsUseATwentiethOfTheQuota(_ remaining: String?, _ requests: Int) throws {
        let transport = CannedTransport(gif: TinyGIF.bytes, remaining: remaining)
        let gifs = try (1...10).map { try ExerciseGIF(id: ExerciseID("\(1000 + $0)")) }
        let first = CannedTransport(gif: TinyGIF.bytes)
        for gif in gifs { _ = try cache(first).put(gif) }
        let later = try cache(transport, days: 15)
        let statuses = try gifs.map { try later.put($0).status }
        #expect(statuses == gifs.indices.map { $0 < requests ? .revalidated : .stale })
        #expect(transport.requests == requests)
        // The budget does not limit requests for missing GIFs.
        #expect(try later.put(gif).status == .miss)
    }

    @Test func countsIncludeFailuresShownAsPlaceholders() {
        var counts = PutCounts()
        for status in [CacheStatus.hit, .kept, .miss, .revalidated] { counts.add(status) }
        #expect(counts.text == "2 hit, 1 fetched, 1 revalidated, 0 failed")
        counts.placeholders = 102
        #expect(counts.text == "2 hit, 1 fetched, 1 revalidated, 102 failed (placeholders)")
        counts.add(.stale)
        counts.failed = 3
        #expect(counts.text == "2 hit, 1 fetched, 1 revalidated, 1 stale, 105 failed (102 placeholders)")
    }

    @Test func resolutionsAreCachedSeparately() throws {
        let transport = CannedTransport(gif: TinyGIF.bytes)
        _ = try cache(transport).put(gif)
        _ = try cache(transport).put(ExerciseGIF(id: gif.id, resolution: .pixels360))
        #expect(transport.requests == 2)
    }

    @Test func invalidGIFsAreNotCached() throws {
        let page = CannedTransport(200, ["Content-Type": "image/gif"], "<!doctype html>")
        #expect(failureCode { _ = try cache(page).put(gif) } == "not-a-gif")
        let cut = CannedTransport(gif: Array(TinyGIF.bytes.dropLast()))
        #expect(failureCode { _ = try cache(cut).put(gif) } == "truncated-gif")
        #expect(failureCode { _ = try find() } == "not-cached")
    }

    @Test func truncatedGIFDoesNotReplaceAnExpiredGIF() throws {
        _ = try cache(CannedTransport(gif: TinyGIF.bytes)).put(gif)
        let cut = CannedTransport(gif: Array(TinyGIF.bytes.dropLast()))
        let item = try cache(cut, days: 15).put(gif)
        #expect(item.status == .stale && cut.requests == 1)
        #expect(try File.openInput(item.entry.path).bytes(0..<TinyGIF.bytes.count) == TinyGIF.bytes)
    }

    @Test func expiredGIFIsServedIfTheQuotaIsUsedUp() throws {
        _ = try cache(CannedTransport(gif: TinyGIF.bytes)).put(gif)
        let quota = CannedTransport(429, [:], #"{"message": "You have exceeded the DAILY quota for Requests"}"#)
        #expect(try cache(quota, days: 15).put(gif).status == .stale)
        #expect(quota.requests == 1)
        let other = try ExerciseGIF(id: ExerciseID("0002"))
        #expect(failureCode { _ = try cache(quota).put(other) } == "quota-exceeded")
    }

    @Test func gifsOfTheOpenVersionHaveTheUsualKeys() throws {
        let address = "https://db.test/api/v1"
        let item = try cache(CannedTransport(gif: TinyGIF.bytes), address: address).put(
            gif, at: "https://cdn.test/x.gif")
        #expect(item.entry.key == "exercisedb:0001@180" && item.entry.url == "https://cdn.test/x.gif")
        // The address of a GIF is requested only if the cached GIF is not fresh. An expired GIF is served if the
        // service cannot be reached.
        #expect(try cache(.unreachable, address: address).put(gif).status == .hit)
        #expect(try cache(.unreachable, days: 15, address: address).put(gif).status == .stale)
        let other = try ExerciseGIF(id: ExerciseID("0002"))
        #expect(failureCode { _ = try cache(.unreachable, address: address).put(other) } == "connection-failed")
        let lacking = "65 not-a-gif: ExerciseDB returned an answer without a gifUrl instead of a GIF"
        for (body, expected) in [
            (#"{"success":true,"data":{"exerciseId":"0002"}}"#, lacking), ("[]", lacking),
            (#"{"success":false,"error":"no"}"#, "69 service-refused: ExerciseDB reported an error: no"),
        ] {
            #expect(summary { _ = try cache(CannedTransport(200, [:], body), address: address).put(other) } == expected)
        }
    }

    @Test func refusedKeyIsNotUsedAgain() throws {
        _ = try cache(CannedTransport(gif: TinyGIF.bytes)).put(gif)
        let refusing = CannedTransport(401, [:], #"{"message": "Invalid API key"}"#)
        let gifs = try cache(refusing)
        for id in ["0002", "0003", "0004"] {
            #expect(failureCode { _ = try gifs.put(ExerciseGIF(id: ExerciseID(id))) } == "api-key-invalid")
        }
        #expect(refusing.requests == 1)
        #expect(try gifs.put(gif).status == .hit)
    }

    @Test func unreachableServiceIsAbandonedAfterFiveRequests() throws {
        _ = try cache(CannedTransport(gif: TinyGIF.bytes)).put(gif)
        let away = CannedTransport.unreachable
        let gifs = try cache(away, days: 15)
        var codes: [String?] = []
        for number in 2...9 {
            codes.append(failureCode { _ = try gifs.put(ExerciseGIF(id: ExerciseID("000\(number)"))) })
        }
        #expect(codes == Array(repeating: "connection-failed", count: 5) + Array(repeating: "unreachable", count: 3))
        // Five GIFs were requested, each with three retries.
        let asked = away.requests
        #expect(asked == 5 * 4)
        #expect(try gifs.put(gif).status == .stale)
        #expect(away.requests == asked)
    }

    @Test func expiredEntriesDoNotEachWaitForAnUnreachableService() throws {
        _ = try cache(CannedTransport(gif: TinyGIF.bytes)).put(gif)
        let away = CannedTransport.unreachable
        let gifs = try cache(away, days: 15)
        for _ in 0..<9 { #expect(try gifs.put(gif).status == .stale) }
        #expect(away.requests == 5 * 4)
    }

    @Test func serviceIsNotAbandonedAfterServerErrors() throws {
        let failing = try cache(CannedTransport(500))
        for number in 2...9 {
            #expect(failureCode { _ = try failing.put(ExerciseGIF(id: ExerciseID("000\(number)"))) } == "server-error")
        }
    }
}
