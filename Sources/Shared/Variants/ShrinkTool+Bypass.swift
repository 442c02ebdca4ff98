import Store
import Fetch
import Tools
import HTTP
import Images
import Records
import Support

/// Where the cache's variants go, and past it: what is made of a picture is never kept longer than the picture itself.
extension ShrinkTool {
    /// Where what is made for a record is kept.
    ///
    /// - Parameters:
    ///   - path: the picture's; nil for a record without one, of which its addresses tell.
    ///   - source: its bytes, which tell of a pipe what its path does not.
    func place(of path: String?, _ record: Record, _ source: InputFile? = nil) throws -> Place {
        let scope = record.string("cache.scope")
        guard let path else {
            let addresses = PictureAddresses().candidates(in: record).compactMap { try? $0.get() }
            return try caches.place(forStandInOf: addresses, scope: scope)
        }
        return try caches.place(
            forVariantsOf: path,
            address: try record.string("cache.url")
                ?? source.flatMap { source in
                    try source.sha256OfStream.map { _ in try CacheKey.of(source).text }
                },
            isBypassed: record.string("cache.status") == CacheStatus.bypass.rawValue, scope: scope)
    }

    /// The key of the picture, which is not asked to be anywhere.
    func key(_ source: InputFile, _ record: Record) throws -> CacheKey {
        try record.string("cache.key").map { try CacheKey(printed: $0) } ?? CacheKey.of(source)
    }

    func makeBypassed(
        _ source: InputFile, _ path: String, _ record: Record, past bypass: Bypass,
        ready: @escaping (Variant, JSON) -> Void
    ) throws {
        try named(path) {
            let info = try inspect(source, limits: maker.options.limits)
            try makeBypassed(variants, of: try key(source, record), past: bypass, ready: ready) { requests, done in
                try maker.make(source, info, requests, done: done)
            }
        }
    }

    /// Files past the cache for these variants; always made, as nothing is remembered.
    func makeBypassed(
        _ variants: [Variant], of key: CacheKey, past bypass: Bypass, ready: @escaping (Variant, JSON) -> Void,
        make: ([VariantMaker.Request], (Int, DownsampleResult) throws -> Void) throws -> Void
    ) throws {
        try bypass.make(variants.count, of: key) { index, entry in
            ready(variants[index], Self.field(entry, status: "made"))
        } make: { sinks, done in
            let requests = zip(variants, sinks).map { variant, sink in VariantMaker.Request(variant, sink: sink) }
            try make(requests) { index, result in try done(index, Self.picture(result)) }
        }
    }
}
