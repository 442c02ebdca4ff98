import CacheTools
import Commands
import GIFs
import Options
import Records
import Support

extension CachedKind {
    static let gifs = CachedKind(
        "GIF", file: "exercise.gif", operands: .exercises, options: { [.resolution, .recordFields] },
        naming: { context, _ in try context.naming() }, items: \.items)
}

extension Command {
    static let get = CachedKind.gifs.get(examples: [
        "gif-cache get 0001 --print path || echo \"not there yet\"",
        "gif-cache get --field id=exercise.id < workouts.ndjson",
    ])

    static let has = CachedKind.gifs.has(examples: [
        "gif-cache has 0001 && echo \"no need to fetch\"", "gif-cache has 0001 --resolution 360",
    ])

    static let path = CachedKind.gifs.path(examples: ["cp \"$(gif-cache path 0001)\" curl.gif"])

    static let cat = CachedKind.gifs.cat(examples: [
        "gif-cache cat 0001 > curl.gif", "gif-cache cat 0001 | img-downsample - --width 90 -o small.gif",
    ])

    static let info = Command(
        "info", summary: "Show the properties of GIFs: frames, delays, disposal, palettes and more.",
        details: """
            Takes cached exercises, and files: an argument with a slash or the extension .gif is a file. Writes text \
            on a terminal, otherwise records with the field `info`. Does not count as use of the GIF.
            """,
        examples: [
            "gif-cache info 0001", "gif-cache info ./curl.gif --print info.frames",
            "gif-cache ls --json | gif-cache info --print info.duration_ms",
        ],
        operands: .init(
            "GIF", "Ids of exercises, files, or - for standard input.", completion: .filesEnding(["gif"])),
        options: { [[.resolution, .recordFields, .json], .stream, .common] }
    ) { arguments in
        var requirements = SandboxRequirements.looking
        requirements.inputs = arguments.operands.filter(GIFDescription.isFile)
        requirements.usesRoot = requirements.inputs.isEmpty
        let lookup = try CacheLookup(.gifs, arguments, requirements)
        let (caches, naming) = (lookup.caches, lookup.naming)
        let items = InputItems(
            "exercise ids or files", arguments.operands,
            operand: { GIFDescription.isFile($0) ? RecordJob(Record(), argument: $0) : gifJob($0) },
            line: { line in
                if GIFDescription.isFile(line) { throw FileInLine(path: line) }
                return gifJob(line)
            })
        defer { caches.close() }
        return try lookup.context.describe(items, as: "info") { try GIFDescription(of: $0, caches, naming) }
    }

    static let pin = CachedKind.gifs.pin(examples: [
        "gif-cache put < favourites.ndjson | gif-cache pin > pinned.ndjson", "gif-cache pin 0001",
    ])

    static let unpin = CachedKind.gifs.unpin(examples: [
        "gif-cache unpin 0001", "gif-cache ls --pinned --json | gif-cache unpin",
    ])

    static let poster = Command(
        "poster", summary: "Draw the first frame of GIFs as PNGs, and return their paths.",
        details: """
            The frame is drawn on the whole canvas, as viewers show it. The PNG is cached with the GIF and removed \
            with it; records get the field `poster`. With --output, the PNG of a single exercise is written to a file.
            """,
        examples: [
            "gif-cache poster 0001 --print poster.path",
            "gif-cache put < exercises.ndjson | gif-cache poster > posters.ndjson",
            "gif-cache poster 0001 --output curl.png",
        ],
        operands: .exercises,
        options: { [[.output, .resolution, .recordFields, .sync], .stream, .common] }
    ) { arguments in
        if let target = arguments[.output] { return try writePoster(to: target, arguments) }
        if arguments[.sync] { throw UsageFailure("--sync requires --output; gif-cache always syncs its GIFs") }
        let lookup = try CacheLookup(.gifs, arguments)
        return try lookup.run(PosterTool(caches: lookup.caches, naming: lookup.naming), .pictures)
    }

    private static func writePoster(to target: String, _ arguments: Arguments) throws -> Int32 {
        guard arguments.operands.count == 1, arguments.operands != ["-"] else {
            throw UsageFailure("--output requires exactly one id; without --output, posters are stored in the cache")
        }
        // If standard output is a terminal, fail before drawing anything.
        if target == "-" { _ = try File.pictureOutput(example: "poster.png") }
        let lookup = try CacheLookup(.gifs, arguments) { try $0.prepareOutput(target, &$1) }
        return try lookup.forEachItem { job in
            let interruption = lookup.context.interruption
            try interruption.catchSignals()
            try lookup.context.write(lookup.find(job).posterPNG(interruption: interruption), to: target)
        }
    }
}
