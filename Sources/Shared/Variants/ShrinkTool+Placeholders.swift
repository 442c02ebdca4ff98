import Store
import Fetch
import Tools
import Images
import Libc
import Placeholders
import Records
import Support

/// What stands in for a picture: before it is there its own thumbnail, and where there is none a placeholder.
extension ShrinkTool {
    /// The picture's own thumbnail as a variant, where it has one.
    func makeThumbnail(_ source: InputFile, _ path: String, _ record: Record) throws -> (Variant, JSON)? {
        guard let variant = maker.thumbnail(for: variants) else { return nil }
        // Where names don't tell variants apart, the one name is the picture's.
        if case .folder(let naming) = destination, !naming.namesVariants { return nil }
        guard let info = try? inspect(source, limits: maker.options.limits),
            let thumbnail = embeddedThumbnail(of: source, info, limits: maker.options.limits)
        else { return nil }
        var made: (Variant, JSON)?
        do {
            switch destination {
            case .cache:
                switch try place(of: path, record, source) {
                case .cache(let cache):
                    let parent = try original(source, path, record, in: cache)
                    try cache.variants(of: parent, options: ["thumbnail;\(maker.key(variant))"]) { _, entry, isMade in
                        made = (variant, Self.field(entry, status: isMade ? "made" : "hit"))
                    } make: { _, missing, done in
                        let request = VariantMaker.Request(variant, sink: missing[0].sink)
                        try maker.make(thumbnail.source, thumbnail.info, [request]) { try done(0, Self.picture($1)) }
                    }
                case .bypass(let bypass):
                    try makeBypassed([variant], of: try key(source, record), past: bypass) {
                        made = ($0, $1)
                    } make: { requests, done in
                        try maker.make(thumbnail.source, thumbnail.info, requests, done: done)
                    }
                }
            case .folder(let naming):
                let target = try naming.path(
                    stem: Self.stem(path), variant: variant, format: maker.rendition.format(for: .jpeg), record: record)
                let file = try OutputFile(path: target)
                let request = VariantMaker.Request(variant, sink: file)
                try maker.make(thumbnail.source, thumbnail.info, [request]) { _, result in
                    try file.commit(synchronized: synchronizesFiles)
                    made = (variant, Self.field(target, result, status: "made"))
                }
            }
        } catch is ImageError {
            // A damaged thumbnail is as good as none.
            return nil
        }
        return made
    }

    /// Draws what stands in for these variants, where that is wanted. One that cannot be drawn is warned of: what the
    /// picture lacks goes before what is wrong with its stand-in.
    func drawPlaceholders(
        _ variants: [Variant], for record: Record, _ failure: (any Failure)?, path: String?, named: Set<String>,
        ready: (Variant, JSON) -> Void
    ) throws {
        guard let placeholder = fallback?.placeholder(for: record, failure) else { return }
        do {
            try draw(placeholder, variants, for: record, path: path, named: named, ready: ready)
        } catch let failure as any Failure where Self.isOfPicture(failure) {
            log.warning("no placeholder: \(failure.message)")
        }
    }

    private func draw(
        _ placeholder: Placeholder, _ variants: [Variant], for record: Record, path: String?, named: Set<String>,
        ready: (Variant, JSON) -> Void
    ) throws {
        for variant in variants {
            switch destination {
            case .cache:
                let entry =
                    switch try place(of: path, record) {
                    case .cache(let cache): try drawn(placeholder, variant, in: cache)
                    case .bypass(let bypass): try drawn(placeholder, variant, past: bypass)
                    }
                ready(variant, Self.field(entry, status: "fallback"))
            case .folder(let naming):
                let target = try naming.path(
                    stem: path.map(Self.stem) ?? "placeholder", variant: variant,
                    format: maker.placeholderFormat(nil), record: record, isNumbered: path == nil,
                    own: named)
                let file = try OutputFile(path: target)
                let result = try draw(placeholder, variant, to: file).result
                try file.commit(synchronized: synchronizesFiles)
                ready(variant, Self.field(target, result, status: "fallback"))
            }
        }
    }

    /// The placeholder's entry, drawn where it is not there yet.
    func drawn(_ placeholder: Placeholder, _ variant: Variant, in cache: CacheStore) throws -> Entry {
        let key = maker.key(placeholder, variant)
        if let entry = try cache.lookup(CacheKey(printed: key)) { return entry }
        let sink = MemorySink()
        let (result, isComplete) = try draw(placeholder, variant, to: sink)
        let picture = Self.picture(result)
        // One without its words is drawn again when there may be a font.
        let kept = try CacheKey(printed: isComplete ? key : "incomplete:\(key)")
        return try cache.store(MemorySource(sink.bytes), key: kept) { _ in picture }.entry
    }

    /// The placeholder in a file past the cache.
    private func drawn(_ placeholder: Placeholder, _ variant: Variant, past bypass: Bypass) throws -> Entry {
        let sink = MemorySink()
        let picture = Self.picture(try draw(placeholder, variant, to: sink).result)
        let key = try CacheKey(printed: maker.key(placeholder, variant))
        return try bypass.store(MemorySource(sink.bytes), key: key) { _ in picture }
    }

    func draw(
        _ placeholder: Placeholder, _ variant: Variant, to sink: any ByteSink
    ) throws -> (result: DownsampleResult, isComplete: Bool) {
        let (result, warnings) = try maker.draw(placeholder, VariantMaker.Request(variant, sink: sink))
        for warning in warnings where warned.withLock({ $0.insert(warning).inserted }) { log.warning(warning) }
        return (result, warnings.isEmpty)
    }
}
