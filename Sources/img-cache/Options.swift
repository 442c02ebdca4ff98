import CacheTools
import Commands
import HTTP
import Options
import Records
import Store
import Support

extension AnyOption {
    // MARK: Pictures and keys

    static let recordFields = AnyOption.recordFields(
        ["url", "key"], single: ["key"], .pictures, expected: "url=FIELDS or key=FIELD, such as url=hdurl,image.url",
        summary: "Record fields: url=hdurl,image.url, or key=id.",
        manual: """
            url lists the fields that contain addresses of the picture, which are tried in this order. key is the \
            field that contains a name for the picture, as for --key.
            """
    )

    static let media = Option<Bool>(
        "media", form: .value("TYPES"), expected: "image or video, or both with a comma", group: .pictures,
        summary: "Media to accept: image, or video (also movies).",
        manual: """
            Movies are mp4 and mov. They are stored unchanged, and img-downsample does not change their records.
            """, print: { $0 ? "image,video" : "image" }
    ) { text in
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        return words.allSatisfy { ["image", "video"].contains($0) } ? words.contains("video") : nil
    }.defaulting(to: false)

    static let key = Option<String>(
        "key", form: .value("NAME"), group: .pictures,
        summary: "Use this name as the key, for a single picture.",
        manual: "The key is key:NAME instead of the address."
    ) { name in
        _ = try CacheKey(name: name)
        return name
    }

    // MARK: Fetching

    static let incremental = Option.flag(
        "incremental", summary: "Also write a record for each preview of a picture.",
        manual: """
            Each scan or pass that arrives produces a record. Its path is the preview, and its cache.status is partial.
            """)

    static let skipMade = Option.path(
        "skip-made", .files, as: "DIR", isFolder: true,
        summary: "Skip pictures whose variants are in this folder.",
        manual: """
            A picture is not fetched if its files from img-downsample --output-dir DIR are unchanged. Its record has \
            the cache.status kept, and variants, but no path. --refresh fetches the picture. If you change options of \
            img-downsample, first move these files away.
            """)

    // MARK: Looking and maintaining

    static let allScopes = Option.flag("all-scopes", summary: "Apply to all scopes.")
    static let dryRun = Option.flag("dry-run", summary: "Change nothing; report what would be removed.")
    static let repair = Option.flag(
        "repair", summary: "Repair problems: remove damaged files, so that they are fetched again.")
    static let purge = Option<Bool>(
        "purge", synonyms: ["keep"], form: .flag(means: true, isNegatable: false), group: .own,
        summary: "Empty the previously current scope, as scope purge does.", read: Bool.init
    ).defaulting(to: false)
    static let new = Option.flag("new", summary: "Create a scope even if its name is similar to another name.")
    /// An option of the hidden command `scope finish-purges`.
    static let shared = Option.flag("shared", summary: "The root may belong to another user.")

    static let statsFormat = Option<Statistics.Format>.case(
        "format", "FORMAT", summary: "text, json or prometheus.",
        manual: "prometheus is for the textfile collector of node_exporter."
    ).defaulting(to: .text)
    static let output = Option.path(
        "output", short: "o", .files, summary: "Write to this file, which is replaced atomically.")
    static let zero = Option.flag(
        "zero", summary: "Reset the counters after writing them.",
        manual: "Both happen in one transaction, so that no event is lost or counted twice.")
}

extension Command.Operands {
    static let pictures = Command.Operands(
        "PICTURE", "Addresses, files or keys, or - for standard input.", completion: .pictures)
}

extension ToolContext {
    /// Returns the rules for finding the addresses and the key of a picture. Throws `UsageFailure` for `--key` with
    /// several pictures, or with records.
    func rules(_ settings: CacheSettings) throws -> CacheItem.Rules {
        if arguments.isGiven(.key), arguments.pictures.count != 1 || arguments.pictures == ["-"] {
            throw UsageFailure("--key requires exactly one address or file; use --field key=FIELD for records")
        }
        var addresses = arguments.fields(.recordFields, "url").map(PictureAddresses.init(fields:)) ?? PictureAddresses()
        // A command that only looks up entries finds movies even without --media.
        addresses.takesMovies = arguments[.media] || !arguments.fetches
        return CacheItem.Rules(
            addresses: addresses, key: arguments[.key], keyField: arguments.fields(.recordFields, "key")?.first,
            ignoredQuery: Set(try value(.keyIgnoreQuery)?.split { $0 == "," || $0 == " " }.map(String.init) ?? []),
            expiryFields: try value(.expiryFields)?.fields ?? [],
            secrets: KeySecrets(of: settings, makes: ["put", "prefetch"].contains(arguments.path.last?.name)))
    }
}

extension Arguments {
    /// Whether the picture is named only by `--key`, which is enough for a command that does not fetch pictures.
    private var isKeyAlone: Bool { operands.isEmpty && isGiven(.key) && !fetches }

    /// Whether the command fetches missing pictures, or explains whether they would be fetched.
    fileprivate var fetches: Bool { ["put", "prefetch", "explain"].contains(path.last?.name) }

    /// The operands, or a single empty operand if the picture is named only by `--key`.
    var pictures: [String] { isKeyAlone ? [""] : operands }

    var items: InputItems {
        InputItems(
            "addresses, files or keys", pictures, operand: { isKeyAlone ? RecordJob(Record()) : pictureJob($0) },
            line: { try pictureJob(line: $0) })
    }
}

/// Returns the job for an argument. If the argument is an address, the record contains the address without its secrets,
/// so that later tools in a pipe can use it.
private func pictureJob(_ argument: String) -> RecordJob {
    var record = Record()
    if argument.hasScheme, !argument.hasPrefix("file:///") {
        record.set("url", .string(WebURL.withoutSecrets(argument)))
    }
    return RecordJob(record, argument: argument)
}

/// Returns the job for a line of standard input. Throws `FileInLine` for the path of a file.
private func pictureJob(line: String) throws -> RecordJob {
    try suggestingAddress(for: line) {
        guard line.hasScheme || CacheKey.isPrintedKey(line) else { throw FileInLine(path: line) }
        return pictureJob(line)
    }
}

extension [AnyOption] {
    static let keys: [AnyOption] = [.key, .recordFields, .keyIgnoreQuery]

    static let putting: [AnyOption] = [.media, .expiryFields, .degrade]

    static let fetching: [AnyOption] =
        sharing + [.offline, .refresh, .noStale, .maxBytes, .negativeTTL, .respectCacheControl]
        + [.timeout, .retries, .rate, .jobsPerHost, .allowPrivate, .allowInsecureRedirects, .cacert]
        + [.header, .headerFile, .bearerFile, .netrc, .netrcFile]
}
