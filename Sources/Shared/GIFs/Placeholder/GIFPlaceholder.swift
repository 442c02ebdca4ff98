import CacheTools
import Fetch
import Formats
import HTTP
import Records
import Store
import Support

/// The GIF that replaces unavailable GIFs. It is a cache entry with its own key, and is stored on first use. Safe to
/// use on several threads.
public final class GIFPlaceholder: Sendable {
    public enum Source: Sendable {
        /// The built-in GIF.
        case drawn
        /// The checked bytes of a file.
        case bytes([UInt8], sha256: String)
        case address(WebURL)
    }

    private let source: Source
    private let caches: Caches
    private let service: ExerciseService
    private let client: HTTPClient
    private let log: Log
    private let hasWarned = Monitor(false)

    /// - Parameters:
    ///   - service: the service whose address determines the policy of a placeholder that is drawn or read from a file.
    ///   - client: the client that downloads the placeholder. Must not be the client of the service.
    public init(_ source: Source, caches: Caches, service: ExerciseService, client: HTTPClient, log: Log) {
        self.source = source
        self.caches = caches
        self.service = service
        self.client = client
        self.log = log
    }

    /// Adds the placeholder's fields `path` and `gif` to a record whose GIF is unavailable. Warns once per run if the
    /// placeholder is also unavailable.
    func set(in record: inout Record) {
        do {
            let entry = try entry()
            guard let facts = try GIFFacts(of: entry) else { throw GIFFailure.corrupt("the cached file was modified") }
            record.setPath("path", entry.path)
            record.set("gif", facts.field(isPlaceholder: true))
        } catch {
            let failure = Support.failure(of: error)
            if !(failure is Cancelled), !hasWarned.testAndSet() { log.warning("no placeholder: \(failure.message)") }
        }
    }

    /// Returns the entry with a new lease.
    private func entry() throws -> Entry {
        switch source {
        case .drawn:
            return try entry(named: PlaceholderDrawing.variantOptions) { MemorySource(try PlaceholderDrawing.gif()) }
        case .bytes(let bytes, let sha256):
            return try entry(named: "sha256:\(sha256)") { MemorySource(bytes) }
        case .address(let url):
            let request = HTTPRequest(
                url: url, cleartextOrigins: [url.origin], byteLimit: ExerciseService.byteLimit,
                acceptsCompression: false)
            return try caches.storage(for: url).fetch(
                FetchRequest(request, inspect: GIFCache.inspect), client: client
            ).entry
        }
    }

    private func entry(named name: String, _ source: () throws -> MemorySource) throws -> Entry {
        let key = try CacheKey(printed: CacheKey.placeholderPrefix + name)
        let storage = try caches.storage(for: service.images)
        return try storage.cache?.lookup(key) ?? storage.store(source(), key: key, inspect: GIFCache.inspect).entry
    }
}

extension GIFPlaceholder.Source {
    /// Parses an http(s) address, or reads a file. Throws `NamedFailure` for a file that `GIFAcceptance` refuses,
    /// `SystemFailure` for an unreadable file, `InputTooLarge` for a pipe, and `WebURLFailure`.
    public init(_ text: String) throws {
        if ["http://", "https://"].contains(where: text.lowercased().hasPrefix) {
            self = .address(try WebURL(text))
            return
        }
        let file = try InputFile(text, byteLimit: ExerciseService.byteLimit, interruption: Interruption())
        do {
            _ = try GIFStructure.read(file)
        } catch let failure as FormatFailure {
            throw NamedFailure(text, failure, code: GIFFailure(failure).code)
        }
        let bytes = try file.bytes(0..<file.count)
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        self = .bytes(bytes, sha256: hash.finish())
    }
}
