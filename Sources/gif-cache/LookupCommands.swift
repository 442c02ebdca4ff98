import Commands
import Fetch
import GIFs
import Options
import Records
import Store
import Support
import Tools

extension Command {
    static let get = Command(
        "get", summary: "Say where GIFs are, without the network.",
        details: "A GIF that is not in the cache gives a record with an error, and status 1.",
        examples: [
            "gif-cache get 0001 --print path || echo \"not there yet\"",
            "gif-cache get --id-field exercise.id < workouts.ndjson",
        ],
        operands: .exercises, options: { [[.resolution, .idField], .stream, .common] },
        synonyms: ["show", "find", "lookup"]
    ) { arguments in
        let lookup = try GIFLookup(arguments, .looking)
        return try lookup.run(GetGIFTool(gifs: lookup.gifs, naming: lookup.context.naming()))
    }

    static let has = Command(
        "has", summary: "Tell by the exit status whether GIFs are in the cache: 0 all, 1 not all.",
        examples: ["gif-cache has 0001 && echo \"no need to fetch\"", "gif-cache has 0001 --resolution 360"],
        operands: .exercises, options: { [[.resolution, .idField, .nullData], .common] },
        synonyms: ["exists", "test"]
    ) { arguments in
        let lookup = try GIFLookup(arguments, .looking)
        let naming = try lookup.context.naming()
        defer { lookup.caches.close() }
        return try lookup.context.areAllThere(arguments.things) { job in
            let (id, resolution) = try naming.meant(by: job.argument, job.record)
            _ = try lookup.gifs.find(id, resolution)
        }
    }

    static let path = Command(
        "path", summary: "Print where GIFs are, one path per line.",
        examples: ["cp \"$(gif-cache path 0001)\" curl.gif"],
        operands: .exercises, options: { [[.resolution, .idField, .nullData, .nullTerminated], .common] },
        synonyms: ["where", "which"]
    ) { arguments in
        let lookup = try GIFLookup(arguments, .looking)
        let output = try File(descriptor: 1, path: "standard output", closes: false)
        return try lookup.run { id, resolution in
            try output.write(Array(lookup.gifs.find(id, resolution).entry.path.utf8) + [arguments.terminator])
        }
    }

    static let cat = Command(
        "cat", summary: "Write the bytes of GIFs to standard output.",
        details: "Nothing is written to a terminal.",
        examples: [
            "gif-cache cat 0001 > curl.gif", "gif-cache cat 0001 | img-downsample - --width 90 -o small.gif",
        ],
        operands: .exercises, options: { [[.resolution, .idField, .nullData], .common] }
    ) { arguments in
        let output = try PictureOutput(example: "exercise.gif")
        let lookup = try GIFLookup(arguments, .looking)
        return try lookup.run { id, resolution in
            try output.copy(lookup.gifs.find(id, resolution).entry.path)
        }
    }

    static let info = Command(
        "info", summary: "Say what the bytes of GIFs tell: frames, delays, disposal, palettes, and more.",
        details: """
            Takes exercises in the cache, and files: what has a slash or ends in .gif is a file. On a terminal it is \
            text, elsewhere records with the field `info`. Asking does not count as use of the GIF.
            """,
        examples: [
            "gif-cache info 0001", "gif-cache info ./curl.gif --print info.frames",
            "gif-cache ls --json | gif-cache info --print info.duration_ms",
        ],
        operands: .init("GIF", "Ids of exercises, or files; - reads standard input.", completion: .files),
        options: { [[.resolution, .idField, .json], .stream, .common] }
    ) { arguments in
        var needs = Needs.looking
        needs.inputs = arguments.operands.filter(GIFInfoTool.isFile)
        let lookup = try GIFLookup(arguments, needs)
        var options = try lookup.context.runOptions(jobs: 1)
        let writesText = options.layout == .lines && !arguments[.json] && Terminal.isTerminal(1)
        // Its words end their last line themselves: this is an empty line behind each.
        if writesText { options.layout = .field(GIFInfoTool.textField, terminator: UInt8(ascii: "\n")) }
        let tool = GIFInfoTool(gifs: lookup.gifs, naming: try lookup.context.naming(), writesText: writesText)
        let things = Things(
            "ids of exercises or files", arguments.operands,
            operand: { GIFInfoTool.isFile($0) ? RecordJob(Record(), argument: $0) : gifJob($0) },
            line: { line in
                if GIFInfoTool.isFile(line) { throw FileInLine(path: line) }
                return gifJob(line)
            })
        defer { lookup.caches.close() }
        return try lookup.context.run(tool, options: options, over: things)
    }

    static let pin = Command(
        "pin", summary: "Keep GIFs from being trimmed or cleaned away.",
        details: """
            They still expire, and are asked for again then. A GIF that is not in the cache gives a record with an \
            error, and status 1.
            """,
        examples: ["gif-cache put < favourites.ndjson | gif-cache pin > pinned.ndjson", "gif-cache pin 0001"],
        operands: .exercises, options: { [[.resolution, .idField], .stream, .common] }
    ) { arguments in
        let lookup = try GIFLookup(arguments)
        return try lookup.run(GetGIFTool(gifs: lookup.gifs, naming: lookup.context.naming(), pins: true))
    }

    static let unpin = Command(
        "unpin", summary: "Let GIFs be trimmed and cleaned away again.",
        examples: ["gif-cache unpin 0001", "gif-cache ls --pinned --json | gif-cache unpin"],
        operands: .exercises, options: { [[.resolution, .idField], .stream, .common] }
    ) { arguments in
        let lookup = try GIFLookup(arguments)
        return try lookup.run(GetGIFTool(gifs: lookup.gifs, naming: lookup.context.naming(), pins: false))
    }

    static let poster = Command(
        "poster", summary: "Draw the first frame of GIFs as PNGs, and say where they are.",
        details: """
            The frame is drawn as a viewer shows it, on the whole canvas. It is kept beside the GIF, and goes with it; \
            records get the field `poster`. With --output it is written there instead, for a single exercise.
            """,
        examples: [
            "gif-cache poster 0001 --print poster.path",
            "gif-cache put < exercises.ndjson | gif-cache poster > posters.ndjson",
            "gif-cache poster 0001 --output curl.png",
        ],
        operands: .exercises,
        options: { [[.output, .resolution, .idField, .sync], .stream, .common] }
    ) { arguments in
        if let target = arguments[.output] { return try writePoster(to: target, arguments) }
        if arguments[.sync] { throw UsageFailure("--sync goes with --output; the cache always waits for the disk") }
        let lookup = try GIFLookup(arguments)
        let tool = PosterTool(
            gifs: lookup.gifs, naming: try lookup.context.naming(), interruption: lookup.context.interruption)
        return try lookup.run(tool, jobs: Thread.processors)
    }

    private static func writePoster(to target: String, _ arguments: Arguments) throws -> Int32 {
        guard arguments.operands.count == 1, arguments.operands != ["-"] else {
            throw UsageFailure("--output goes with exactly one id; without it the posters of many lie in the cache")
        }
        // Refused before anything is drawn.
        let standardOutput = target == "-" ? try PictureOutput(example: "poster.png") : nil
        var needs = Needs()
        needs.outputs = [target]
        let lookup = try GIFLookup(arguments, needs)
        let synchronizes = try lookup.context.isSet(.sync)
        return try lookup.run { id, resolution in
            let interruption = lookup.context.interruption
            try interruption.catchSignals()
            let kept = try lookup.gifs.find(id, resolution)
            let png = try interruption.during { try kept.poster(interruption: interruption).png }
            if let standardOutput { return try standardOutput.write(png) }
            let file = try OutputFile(path: target)
            try png.withUnsafeBytes { try file.write($0) }
            try file.commit(synchronized: synchronizes)
        }
    }
}
