import HTTP
import Store
import Support

extension Bypass {
    /// Fetches an address into an ephemeral file. Interrupted attempts are not continued. Throws `FetchFailure`, the
    /// errors of the inspection, `CacheFailure`, `SystemFailure`, `Cancelled`.
    ///
    /// - Parameters:
    ///   - key: by default the key of the request's address.
    ///   - inspect: by default requires a complete picture or movie.
    public func fetch(
        _ request: HTTPRequest, key: CacheKey? = nil, client: HTTPClient, inspect: Inspection? = nil
    ) throws -> Entry {
        let key = key ?? CacheKey(url: request.url)
        if settings.isOffline { throw CacheFailure.offline(key: key.text) }
        var request = request
        request.acceptsCompression = false
        request.rangeStart = nil
        return try interruption.during {
            let file = try begin()
            _ = try client.get(request) { event in
                switch event {
                case .head: try file.restart()
                case .body(let bytes): try file.write(bytes)
                case .pause: break
                }
            } check: { response in
                try response.requireEnd { _ = try (inspect ?? self.inspect)(file.reopened()) }
            }
            return try finish(file, key: key, url: request.url.redacted, inspect: inspect)
        }
    }
}
