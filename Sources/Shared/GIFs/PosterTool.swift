import Cache
import Images
import Libc
import Records
import Support

/// Draws each record's poster, which is kept beside its GIF: the work of `gif-cache poster`.
public struct PosterTool: CacheTool {
    public let name = "gif-cache"
    private let gifs: KeptGIFs
    private let naming: GIFNaming
    private let options: DecodeOptions

    public init(gifs: KeptGIFs, naming: GIFNaming, interruption: Interruption) {
        self.gifs = gifs
        self.naming = naming
        options = DecodeOptions(interruption: interruption)
    }

    public func prepare(_ job: RecordJob) -> Prepared { .work { record, _ in try add(to: &record, job.argument) } }

    private func add(to record: inout Record, _ argument: String?) throws {
        let (id, resolution) = try naming.meant(by: argument, record)
        let kept = try gifs.find(id, resolution)
        let (entry, isMade) = try kept.poster(options)
        record.setGIF(kept)
        record.set(
            "poster",
            .object([
                "path": .text(ofPath: entry.path), "path_base64": .base64(ofPath: entry.path),
                "width": entry.width.map(JSON.integer), "height": entry.height.map(JSON.integer),
                "bytes": .integer(entry.bytes), "status": .string(isMade ? "made" : "hit"),
            ]))
    }
}

extension KeptGIF {
    /// The poster in the cache, a variant of the GIF with a lease of its own: it goes with the GIF, and is drawn anew
    /// when that changes. Drawn by one however many want it; `isMade` says whether that was now.
    func poster(_ options: DecodeOptions) throws -> (entry: Entry, isMade: Bool) {
        var result: (Entry, Bool)?
        try cache.variants(of: CacheKey(printed: gif.cacheKey), options: [Poster.edition]) { _, entry, isMade in
            result = (entry, isMade)
        } make: { original, missing, done in
            let poster = try Self.drawn(original.path, options)
            for variant in missing {
                try poster.png.withUnsafeBytes(variant.write)
                let format = OutputFormat.png
                try done(
                    variant.index,
                    InspectedPicture(
                        contentType: format.contentType, fileExtension: format.fileExtension,
                        width: poster.size.width, height: poster.size.height))
            }
        }
        guard let result else { throw CacheFailure.absent(key: gif.cacheKey) }
        return result
    }

    /// The poster, past the cache.
    public func poster(interruption: Interruption) throws -> Poster {
        try Self.drawn(entry.path, DecodeOptions(interruption: interruption))
    }

    private static func drawn(_ path: String, _ options: DecodeOptions) throws -> Poster {
        do {
            return try Poster(of: File.openInput(path), options: options)
        } catch let failure as ImageError {
            throw GIFFileFailure(path, failure)
        }
    }
}
