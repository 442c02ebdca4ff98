import Commands
import Fetch
import Options
import Records
import Store
import Support
import Tools

extension Command {
    static let get = Command(
        "get", summary: "Say where pictures are, without the network.",
        details: "A picture that is not in the cache gives a record with an error, and status 1.",
        examples: [
            "img-cache get https://example.org/m31.jpg --print path",
            "img-cache get < records.ndjson",
        ],
        operands: .pictures, options: { [.keys, .stream, .common] },
        synonyms: ["show", "find", "lookup"]
    ) { arguments in
        try lookup(arguments) { context, caches, rules in
            try context.run(
                GetTool(caches: caches, rules: rules), options: try context.runOptions(jobs: 1), over: arguments.things)
        }
    }

    static let has = Command(
        "has", summary: "Tell by the exit status whether pictures are in the cache: 0 all, 1 not all.",
        examples: ["img-cache has https://example.org/m31.jpg && echo \"no need to fetch\""],
        operands: .pictures, options: { [.keys, [.nullData], .common] }, synonyms: ["exists", "test"]
    ) { arguments in
        try lookup(arguments) { context, caches, rules in
            try context.areAllThere(arguments.things) { job in
                _ = try caches.find(job, rules)
            }
        }
    }

    static let path = Command(
        "path", summary: "Print where pictures are, one path per line.",
        examples: ["feh \"$(img-cache path https://example.org/m31.jpg)\""],
        operands: .pictures, options: { [.keys, [.nullData, .nullTerminated], .common] },
        synonyms: ["where", "which"]
    ) { arguments in
        try lookup(arguments) { context, caches, rules in
            let output = try File(descriptor: 1, path: "standard output", closes: false)
            return try context.forEach(arguments.things) { job in
                let (entry, _) = try caches.find(job, rules)
                try output.write(Array(entry.path.utf8) + [arguments.terminator])
            }
        }
    }

    static let cat = Command(
        "cat", summary: "Write the bytes of pictures to standard output.",
        details: "Nothing is written to a terminal.",
        examples: [
            "img-cache cat https://example.org/m31.jpg > m31.jpg",
            "img-cache cat key:m31 | img-downsample - --width 800 -o small.jpg",
        ],
        operands: .pictures, options: { [.keys, [.nullData], .common] }
    ) { arguments in
        let output = try PictureOutput(example: "m31.jpg")
        return try lookup(arguments) { context, caches, rules in
            try context.forEach(arguments.things) { job in
                try output.copy(caches.find(job, rules).0.path)
            }
        }
    }

    static let info = Command(
        "info", summary: "Say all that is known of pictures, without the network.",
        details: """
            On a terminal it is text, elsewhere records with the field `info`. Its `file` is ok, missing, other-size, \
            or with --verify other-content. Asking does not count as use of the picture. One that is not in the cache \
            gives a record with an error, and status 1.
            """,
        examples: [
            "img-cache info https://example.org/m31.jpg",
            "img-cache info --key my-photo --print info.expires_at",
            "img-cache ls --print cache.key | img-cache info - --verify --print info.file",
        ],
        operands: .pictures,
        options: { [[.verifyContent], .keys, [.json], .stream, .common] }
    ) { arguments in
        try lookup(arguments) { context, caches, rules in
            var options = try context.runOptions(jobs: arguments[.verifyContent] ? Thread.processors : 1)
            let writesText = options.layout == .lines && !arguments[.json] && Terminal.isTerminal(1)
            // Its words end their last line themselves: this is an empty line behind each.
            if writesText { options.layout = .field(InfoTool.textField, terminator: UInt8(ascii: "\n")) }
            let tool = InfoTool(
                caches: caches, rules: rules, hashes: arguments[.verifyContent], writesText: writesText)
            return try context.run(tool, options: options, over: arguments.things)
        }
    }

    static let pin = Command(
        "pin", summary: "Keep pictures from being trimmed or cleaned away.",
        details: """
            They still expire, and are asked for again then. A picture that is not in the cache gives a record with an \
            error, and status 1.
            """,
        examples: [
            "img-cache put https://example.org/m31.jpg | img-cache pin",
            "img-cache pin key:my-photo",
        ],
        operands: .pictures, options: { [.keys, .stream, .common] }
    ) { try pin(true, $0) }

    static let unpin = Command(
        "unpin", summary: "Let pictures be trimmed and cleaned away again.",
        examples: [
            "img-cache unpin https://example.org/m31.jpg",
            "img-cache ls --pinned --print cache.key | img-cache unpin -",
        ],
        operands: .pictures, options: { [.keys, .stream, .common] }
    ) { try pin(false, $0) }

    private static func pin(_ isPinned: Bool, _ arguments: Arguments) throws -> Int32 {
        try lookup(arguments, needs: Needs()) { context, caches, rules in
            try context.run(
                PinTool(caches: caches, rules: rules, isPinned: isPinned), options: try context.runOptions(jobs: 1),
                over: arguments.things)
        }
    }

    /// Runs a command that looks into the cache for single pictures.
    ///
    /// - Parameter needs: what the command needs beside the cache.
    static func lookup(
        _ arguments: Arguments, needs: Needs = .looking,
        _ body: (ToolContext, Caches, CacheItem.Rules) throws -> Int32
    ) throws -> Int32 {
        let context = try ToolContext(arguments)
        let rules = try arguments.rules()
        let settings = try context.cacheSettings()
        var needs = needs
        needs.readsInput = arguments.picturesComeFromInput
        context.confine(settings, needs)
        let caches = context.caches(settings)
        defer { caches.close() }
        return try body(context, caches, rules)
    }
}
