import CacheTools
import Fetch
import Formats
import Images
import Records
import Store
import Support

/// Finds pictures and the destinations of their variants. No variant is stored longer than its picture.
extension DownsampleTool {
    struct OpenPicture {
        let source: PictureSource
        let destination: any Destination
        /// A path of the picture that stays valid after the run. Nil for a picture from a pipe that is not cached.
        let path: String?
    }

    /// Opens the picture that a record or an argument names. If `files` is nil, also caches the picture, unless it is
    /// already cached or its storage is temporary. Throws `PathRefusal`, `SystemFailure` (66), `InputTooLarge`,
    /// `FormatFailure`, `ImageError`, `CacheFailure`, `Cancelled`.
    ///
    /// - Parameters:
    ///   - files: the destination of the variants, or nil for the storage of the picture.
    ///   - opened: the file if an earlier call has opened it, otherwise nil. This call sets it, because a pipe can be
    ///     read only once.
    func open(
        _ path: String, isArgument: Bool, _ record: Record, _ files: (any Destination)?, opened: inout InputFile?
    ) throws -> OpenPicture {
        if !isArgument, files == nil, let known = try known(path, record) { return known }
        if let files, isArgument, path == "-" {
            let limit = maker.options.limits.maxInputBytes
            return OpenPicture(
                source: PictureSource(maker) { try Self.standardInput(byteLimit: limit) }, destination: files, path: nil
            )
        }
        // Open the file only once, so that the file that was checked is the file that is read.
        let input = try opened ?? (isArgument ? input(path) : InputFile(pathGuard.open(path)))
        opened = input
        let lasting = input.sha256OfStream == nil ? CacheKey.absolutePath(path) : nil
        let source = PictureSource(maker) { input }
        if let files { return OpenPicture(source: source, destination: files, path: lasting) }
        let storage = try storage(of: path, record, input)
        guard let cache = storage.cache else {
            return OpenPicture(source: source, destination: storage.destination, path: lasting)
        }
        try requireScope(of: path, record)
        let (original, key) = try put(input, source, in: cache)
        return kept(original, key, in: cache, path: lasting ?? original.path)
    }

    /// Reads a picture from standard input. Throws `UsageFailure` if the input looks like JSON,
    /// `ImageError.tooManyBytes`, `SystemFailure`.
    private static func standardInput(byteLimit: Int) throws -> MemorySource {
        let file = try File(descriptor: 0, path: "standard input", closes: false)
        // First read only as many bytes as detecting JSON requires, because a stream of records may be endless.
        let head = try file.contents(atMost: 64)
        let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...]
        if let first = text.first(where: { $0 > 0x20 }), [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(first) {
            throw UsageFailure("-o takes a single picture; use --output-dir for records")
        }
        let bytes = try head + file.contents(atMost: byteLimit)
        guard bytes.count <= byteLimit else { throw ImageError.tooManyBytes(bytes.count, limit: byteLimit) }
        return MemorySource(bytes)
    }

    private func known(_ path: String, _ record: Record) throws -> OpenPicture? {
        try entry(path, record).map { kept($0.original, $0.key, in: $0.cache, path: path) }
    }

    /// Returns the SHA-256 of a record's picture, or nil if the picture is not cached. It is read from the index,
    /// because the record is not trusted.
    public func digest(of path: String, _ record: Record) throws -> String? { try entry(path, record)?.original.sha256 }

    /// Returns the entry with the record's key. Returns nil if there is no such entry, or if its path is not `path`.
    func entry(_ path: String, _ record: Record) throws -> (cache: CacheStore, original: Entry, key: CacheKey)? {
        guard let key = try record.string("cache.key").map(CacheKey.init(printed:)),
            let cache = try storage(of: path, record).cache, let original = try cache.lookup(key, handingOut: false),
            original.path == path
        else { return nil }
        return (cache, original, key)
    }

    private func kept(_ original: Entry, _ key: CacheKey, in cache: CacheStore, path: String) -> OpenPicture {
        OpenPicture(
            source: PictureSource(maker) { try cache.open(original) },
            destination: CacheDestination(cache, of: original, key: key), path: path)
    }

    /// Opens the file that an argument names, which may be a pipe.
    private func input(_ path: String) throws -> InputFile {
        try suggestingAddress(for: path, as: { "img-cache put \($0) | img-downsample" }) {
            try InputFile(
                path, byteLimit: maker.options.limits.maxInputBytes, interruption: maker.options.interruption)
        }
    }

    private func put(
        _ input: InputFile, _ source: PictureSource, in cache: CacheStore
    ) throws -> (original: Entry, key: CacheKey) {
        // Check the limits before storing the picture in the cache.
        let info = try source.info()
        let key = try CacheKey.of(input)
        do {
            return (try cache.store(input, key: key, inspect: CacheStore.wholePicture).entry, key)
        } catch let fault as FormatFailure where maker.options.allows(fault) {
            // Use a separate key, so that the truncated picture is never served as the complete picture.
            let key = try CacheKey(printed: "\(CacheKey.truncatedPrefix)\(key)")
            let picture = FileFacts(format: info.format, upright: info.uprightSize)
            return (try cache.store(input, key: key) { _ in picture }.entry, key)
        }
    }

    /// Returns the storage for variants of a picture. If `path` is a pipe, `input` is required, because the picture is
    /// identified by its content.
    private func storage(of path: String, _ record: Record, _ input: InputFile? = nil) throws -> Storage {
        let stream = try input.flatMap { try $0.sha256OfStream == nil ? nil : CacheKey.of($0).text }
        return try caches.storage(
            forVariantsOf: path, address: record.string("cache.url") ?? stream,
            isEphemeral: record.string("cache.status") == CacheStatus.bypass.rawValue,
            scope: record.string("cache.scope"))
    }

    /// Returns the destination of a placeholder. This is the storage of the record's picture. If there is no picture,
    /// it is the storage for the record's address with the strictest policy.
    func standInDestination(_ path: String?, _ record: Record) throws -> any Destination {
        let addresses = PictureAddresses().addresses(in: record)
        return try path.map { try storage(of: $0, record).destination }
            ?? caches.storage(forStandInOf: addresses, scope: record.string("cache.scope")).destination
    }

    /// Throws `CacheFailure.scopeChanged` if the picture's scope was purged or switched after the path was written to
    /// the record. The file must not be used, even if it still exists.
    func requireScope(of path: String, _ record: Record) throws {
        guard try caches.isPurged(path) else { return }
        throw CacheFailure.scopeChanged(scope: try record.string("cache.scope") ?? caches.scope().text)
    }
}

/// The failure for a record whose cached file has been deleted.
struct EvictedPicture: WrappingFailure {
    let reason: any Failure

    var message: String { "\(reason.message); run the records through img-cache put again" }
}
