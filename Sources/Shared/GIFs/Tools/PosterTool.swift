import CacheTools
import Fetch
import Images
import Libc
import Records
import Store
import Support

/// Adds a poster to each record. The poster is cached as a variant of the GIF. Used by `gif-cache poster`.
public struct PosterTool: CacheTool {
    public let name = "gif-cache"
    private let caches: Caches
    private let naming: any EntryNaming
    private let options: DecodeOptions

    public init(caches: Caches, naming: any EntryNaming) {
        self.caches = caches
        self.naming = naming
        options = DecodeOptions(interruption: caches.interruption)
    }

    public func prepare(_ job: RecordJob) -> Prepared {
        .work { record, _ in
            let found = try caches.find(job, naming)
            let poster = try found.poster(options)
            naming.set(found.entry, status: found.status, in: &record)
            record.set(
                "poster",
                .object([
                    "path": .text(ofPath: poster.path), "path_base64": .base64(ofPath: poster.path),
                    "width": poster.facts.width.map(JSON.integer),
                    "height": poster.facts.height.map(JSON.integer),
                    "bytes": .integer(poster.bytes), "status": .string(poster.isNew ? "made" : "hit"),
                ]))
        }
    }
}

extension FoundEntry {
    /// Returns the poster from the cache, or creates it. The poster is a variant of the GIF with its own lease. It is
    /// deleted with the GIF, and created again if the GIF changes. If several processes need it, only one creates it.
    /// Throws `NamedFailure`, `CacheFailure`, `SystemFailure`, `Cancelled`.
    func poster(_ options: DecodeOptions) throws -> MadeFile {
        let key = try CacheKey(printed: entry.key ?? "")
        return try options.interruption.during {
            var file: MadeFile?
            let sinks = try CacheDestination(cache, of: entry, key: key).open([Poster.variantOptions]) { file = $1 }
            if let file { return file }
            guard let sink = sinks[0] else { throw CacheFailure.absent(key: key.text) }
            let poster = try Self.drawn(cache.open(entry), options)
            try sink.write(poster.png)
            return try sink.commit(FileFacts(format: .png, upright: poster.size))
        }
    }

    /// Creates the poster without caching it. Throws `NamedFailure`, `SystemFailure`, `Cancelled`.
    public func posterPNG(interruption: Interruption) throws -> [UInt8] {
        try interruption.during {
            try Self.drawn(File.openInput(entry.path), DecodeOptions(interruption: interruption)).png
        }
    }

    private static func drawn(_ file: File, _ options: DecodeOptions) throws -> Poster {
        do {
            return try Poster(of: file, options: options)
        } catch let failure as ImageError {
            throw NamedFailure(file.path, failure)
        }
    }
}
