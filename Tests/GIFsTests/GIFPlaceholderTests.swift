import Fetch
import HTTP
import Records
import Store
import Support
import TestSupport
import Testing

@testable import GIFs

@Suite struct GIFPlaceholderTests {
    @Test func modifiedPlaceholderCausesOneWarning() throws {
        let folder = try TemporaryFolder()
        let lines = Monitor<[String]>([])
        let log = Log(tool: "gif-cache", threshold: .warning, write: { line in lines.withLock { $0.append(line) } })
        let caches = Caches(settings: CacheSettings(root: folder.path("cache")), interruption: Interruption())
        defer { caches.close() }
        let service = try ExerciseService()
        let key = try CacheKey(printed: CacheKey.placeholderPrefix + PlaceholderDrawing.variantOptions)
        let picture = MemorySource(DrawnPicture.noise(4, 3, seed: 1).png())
        _ = try caches.storage(for: service.images).store(picture, key: key, inspect: CacheStore.wholePicture)
        let client = HTTPClient(transport: CannedTransport.unreachable, interruption: Interruption())
        let placeholder = GIFPlaceholder(.drawn, caches: caches, service: service, client: client, log: log)
        for _ in 0..<2 {
            var record = Record()
            placeholder.set(in: &record)
            #expect(!record.has("path") && !record.has("gif"))
        }
        let words = "no placeholder: the GIF is corrupt: the cached file was modified"
        #expect(lines.withLock { $0 } == ["gif-cache: warning: \(words)\n"])
    }
}
