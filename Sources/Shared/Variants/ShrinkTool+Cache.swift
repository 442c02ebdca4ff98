import Store
import Fetch
import Tools
import Formats
import Images
import Libc
import Records
import Support

/// Into the cache, beside their original.
extension ShrinkTool {
    func makeCached(
        _ source: InputFile, _ path: String, _ record: Record, in cache: CacheStore,
        ready: @escaping (Variant, JSON) -> Void
    ) throws {
        do {
            try makeBeside(source, path, record, in: cache, ready: ready)
        } catch CacheFailure.absent {
            // Purged or removed since it was found there, or put there.
            try makeBeside(source, path, record, in: cache, ready: ready)
        }
    }

    private func makeBeside(
        _ source: InputFile, _ path: String, _ record: Record, in cache: CacheStore,
        ready: @escaping (Variant, JSON) -> Void
    ) throws {
        let parent = try original(source, path, record, in: cache)
        // Variants of other names can be the same picture.
        let keys = variants.map(maker.key)
        let distinct = keys.indices.filter { keys.firstIndex(of: keys[$0]) == $0 }
        try cache.variants(of: parent, options: distinct.map { keys[$0] }) { index, entry, isMade in
            for place in keys.indices where keys[place] == keys[distinct[index]] {
                ready(variants[place], Self.field(entry, status: isMade ? "made" : "hit"))
            }
        } make: { original, missing, done in
            try named(path) {
                let source = try File.openInput(original.path)
                let requests = missing.map {
                    VariantMaker.Request(variants[distinct[$0.index]], sink: $0.sink)
                }
                try maker.make(source, inspect(source, limits: maker.options.limits), requests) { place, result in
                    try done(missing[place].index, Self.picture(result))
                }
            }
        }
    }

    /// Puts what came through a pipe into the cache, as `img-cache put` does, if its variants go there too; else nil.
    func keepStream(_ source: InputFile, _ record: Record) throws -> (entry: Entry, status: CacheStatus)? {
        guard source.sha256OfStream != nil, case .cache = destination,
            case .cache(let cache) = try place(of: source.path, record, source)
        else { return nil }
        let key = try original(source, source.path, record, in: cache)
        guard let entry = try cache.lookup(key) else { throw CacheFailure.absent(key: key.text) }
        return (entry, .hit)
    }

    /// The key of the picture's original in the cache. A file that is not there is put there first.
    func original(_ file: InputFile, _ path: String, _ record: Record, in cache: CacheStore) throws -> CacheKey {
        if let text = record.string("cache.key") {
            let key = try CacheKey(printed: text)
            if let entry = try cache.lookup(key, handingOut: false), entry.path == path { return key }
        }
        try requireScope(of: path, record)
        let key = try CacheKey.of(file)
        return try named(path) {
            // What is over a limit costs the cache nothing.
            let info = try inspect(file, limits: maker.options.limits)
            do {
                _ = try cache.store(file, key: key)
                return key
            } catch let failure as any Failure
                where maker.options.allowsTruncated && Self.isTruncation(failure)
            {
                // Under a key of its own: nobody else takes it for the whole picture.
                let key = try CacheKey(printed: "truncated:\(key)")
                let picture = FileFacts(format: info.format, upright: info.uprightSize)
                _ = try cache.store(file, key: key) { _ in picture }
                return key
            }
        }
    }

    /// Whether a picture ends too early, and there is something of it.
    static func isTruncation(_ failure: any Failure) -> Bool {
        if case FormatFailure.truncated = failure { return true }
        if case ImageError.truncated = failure { return true }
        return false
    }
}
