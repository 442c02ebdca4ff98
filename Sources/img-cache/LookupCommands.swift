import CacheTools
import Commands
import Options
import Records
import Support

extension CachedKind {
    static let pictures = CachedKind(
        "picture", file: "m31.jpg", operands: .pictures, options: { .keys },
        naming: { try $0.rules($1) }, items: \.items)
}

extension Command {
    static let get = CachedKind.pictures.get(examples: [
        "img-cache get https://example.org/m31.jpg --print path",
        "img-cache get < records.ndjson",
    ])

    static let has = CachedKind.pictures.has(examples: [
        "img-cache has https://example.org/m31.jpg && echo \"no need to fetch\""
    ])

    static let path = CachedKind.pictures.path(examples: ["feh \"$(img-cache path https://example.org/m31.jpg)\""])

    static let cat = CachedKind.pictures.cat(examples: [
        "img-cache cat https://example.org/m31.jpg > m31.jpg",
        "img-cache cat key:m31 | img-downsample - --width 800 -o small.jpg",
    ])

    static let info = Command(
        "info", summary: "Show all details of cached pictures, without the network.",
        details: """
            Writes text on a terminal, otherwise records with the field `info`. The value of `file` is ok, missing, \
            other-size or other-content. Does not count as use of the picture. For a picture that is not in the cache, \
            writes a record with an error, and exits with status 1.
            """,
        examples: [
            "img-cache info https://example.org/m31.jpg",
            "img-cache info --key my-photo --print info.expires_at",
            "img-cache ls --print cache.key | img-cache info - --print info.file",
        ],
        operands: .pictures,
        options: { [.keys, [.json], .stream, .common] }
    ) { arguments in
        let lookup = try CacheLookup(.pictures, arguments, .looking)
        let (caches, naming) = (lookup.caches, lookup.naming)
        defer { caches.close() }
        return try lookup.context.describe(lookup.items, as: "info", .pictures) { job in
            let found = try caches.find(job, naming, handingOut: false)
            return try EntryDetails(found.entry, in: found.cache)
        }
    }

    static let pin = CachedKind.pictures.pin(examples: [
        "img-cache put https://example.org/m31.jpg | img-cache pin",
        "img-cache pin key:my-photo",
    ])

    static let unpin = CachedKind.pictures.unpin(examples: [
        "img-cache unpin https://example.org/m31.jpg",
        "img-cache ls --pinned --print cache.key | img-cache unpin -",
    ])
}
