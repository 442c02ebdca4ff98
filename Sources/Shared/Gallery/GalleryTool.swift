import Formats
import Images
import Records
import Store
import Support
import Variants

/// Adds the picture of each record to a gallery. Used by `img-downsample gallery`.
///
/// A record is emitted as soon as the files of its picture are written. At the end of the run, `write` writes the
/// pages.
public final class GalleryTool: RecordTool {
    public let name = "img-downsample"
    private let settings: GallerySettings
    private let folder: GalleryFolder
    private let downsampler: @Sendable ([Variant]) -> DownsampleTool
    private let publication: Publication
    private let files: PathGuard
    private let state: Monitor<State>

    private struct State {
        /// The items of earlier runs and of this run.
        var items: GalleryItems
        /// The files of these items.
        var files: KnownFiles
        /// The items of this run with their record numbers. They are added in any order, because records are processed
        /// concurrently.
        var itemsOfRun: [(number: Int, item: GalleryItem)] = []
        var count = 0
        /// The failure to store an item of this run. The gallery is then not written, because it would lack the item.
        var failure: (any Error)?
    }

    /// - Parameters:
    ///   - files: restricts the files that records may name. Must allow the files of the gallery.
    ///   - downsampler: returns a tool that writes variants into the given folder.
    public init(
        _ settings: GallerySettings, in folder: GalleryFolder, files: PathGuard,
        downsampler: @escaping @Sendable ([Variant], ContentFolder) -> DownsampleTool
    ) {
        self.settings = settings
        self.folder = folder
        self.files = files
        publication = Publication(fields: settings.fields, groupField: settings.groupField)
        let state = Monitor(State(items: folder.earlier.items, files: folder.earlier.files))
        self.state = state
        let content = ContentFolder(folder.pictures) { name in
            try? state.withLock { $0.files.record(of: name) }?.facts(name)
        }
        self.downsampler = { downsampler($0, content) }
    }

    /// Writes the pages. Call it once, after all records are processed. Throws `SystemFailure`. After all pages are
    /// written, throws `PruneRefusal` or `MissingPicture` if pictures were not removed as requested.
    public func write() throws {
        let itemsOfRun = try state.withLock { state in
            if let failure = state.failure { throw failure }
            // The folder reads the items of earlier runs again. Release the memory of these.
            defer { state = State(items: GalleryItems(), files: KnownFiles()) }
            return state.itemsOfRun.sorted { $0.number < $1.number }.map(\.item)
        }
        try folder.write(itemsOfRun, settings)
    }

    // MARK: Records

    public var acceptsErrors: Bool { true }

    /// The identity, the day and the id of a record's picture. They are assigned in the order of the input.
    private struct Position {
        let number: Int
        let identity: PictureIdentity
        let day: CalendarDay?
        let id: String
        /// Whether an argument names the picture.
        let isFile: Bool
        /// The texts in the metadata of a file that an argument names, or nil if it has none.
        let caption: EmbeddedCaption?
    }

    /// Prepares a job. Must be called in the order of the input.
    public func prepare(_ job: RecordJob) throws -> Prepared {
        var named = job.record
        if let argument = job.argument { named.setPath("path", argument) }
        let caption = job.argument.flatMap(Self.caption)
        let day = publication.day(of: named) ?? (publication.hasDates ? caption?.day.flatMap { CalendarDay($0) } : nil)
        let identity = PictureIdentity(of: named, day: day, field: settings.identity)
        let position = state.withLock { state in
            defer { state.count += 1 }
            state.items.takeOver(identity.formerKey, as: identity.key, day)
            let id = state.items.reserveID(identity.key, day)
            return Position(
                number: state.count, identity: identity, day: day, id: id, isFile: job.argument != nil,
                caption: caption)
        }
        let tool = downsampler([.pager])
        guard tool.accepts(job), !tool.isMovie(job.record) else {
            var record = job.record
            add(job.record, position, &record)
            return .done(job.record.hasError ? job.record : record)
        }
        return .work { [self] record, _ in try process(&record, job.argument, position) }
    }

    private func process(_ record: inout Record, _ argument: String?, _ position: Position) throws {
        if argument == nil, let path = try record.path("path"), !path.hasPrefix("/") {
            // A record that this gallery wrote has a relative path.
            if let item = try written(record) {
                // Use the texts of the record, which the user may have edited.
                var shown = publication.record(of: record)
                shown.set([
                    "path": item.record.string("path").map { .string($0) },
                    "variants": item.record.raw("variants").map { .raw(Array($0)) },
                ])
                takeFiles(of: item, &record)
                return add(shown, position, isFormer: item.isFormer, &record)
            }
            // Other paths are relative to the working directory.
            let isOther = record.raw("gallery.key") == nil && (try? File.exists(path)) == true
            if !isOther { record.setPath("path", folder.folder.path(of: path)) }
        }
        do {
            try makeVariants(&record, argument)
            var shown = record
            if let path = argument {
                shown.set([
                    "title": .string(position.caption?.title ?? Self.stem(path)),
                    "date": position.day.map { .string($0.description) },
                    "explanation": position.caption?.text.map { .string($0) },
                    "camera": position.caption?.camera.map { .string($0) },
                ])
            }
            if settings.keepsOriginals { try copyOriginal(&shown, isArgument: argument != nil) }
            if argument == nil, let path = try record.path("path") { try remember(shown, of: path, record) }
            add(shown, position, &record)
        } catch {
            let failure = failure(of: error)
            if failure is Cancelled { throw failure }
            var failed = record
            failed.setError(failure, tool: name)
            var untouched = record
            add(failed, position, &untouched)
            throw failure
        }
    }

    private func makeVariants(_ record: inout Record, _ argument: String?) throws {
        let (size, isAnimated, canTile) = picture(record, argument: argument)
        func make(canTile: Bool) throws {
            let variants = Self.variants(
                of: size, isAnimated: isAnimated, canTile: canTile, keepingOriginals: settings.keepsOriginals)
            try downsampler(variants).process(&record, argument: argument) { _ in }
        }
        do {
            try make(canTile: canTile)
        } catch  where canTile && ["out-of-memory-limit", "too-slow"].contains(failure(of: error).code) {
            // The decoder needs less memory and time to make only smaller variants.
            try make(canTile: false)
        }
    }

    /// Adds the files of a picture in the gallery to the cache's index.
    private func remember(_ shown: Record, of path: String, _ record: Record) throws {
        let made = GalleryItem.fileNames.compactMap { name -> DownsampleTool.Made? in
            guard let raw = shown.raw(FieldPath(stringLiteral: "variants.\(name)")),
                let file = try? Record(parsing: raw),
                let path = file.string("path"), relative(path) != nil
            else { return nil }
            return DownsampleTool.Made(path: path, values: ["variant": name], template: nil, field: .raw(Array(raw)))
        }
        try downsampler([.pager]).remember(made, in: folder.folder.path, of: path, record)
    }

    /// Returns the size of the picture, whether its variants are animations, and whether it can be cut into tiles if it
    /// is large. Animations cannot be cut, and neither can translucent pictures, whose tiles would not cover the
    /// picture below them. The size is nil if the file cannot be read, or is a pipe, which can be read only once.
    private func picture(
        _ record: Record, argument: String?
    ) -> (size: PixelSize?, isAnimated: Bool, canTile: Bool) {
        let path = argument ?? (try? record.path("path")) ?? nil
        let tool = downsampler([.pager])
        guard let path, let file = try? argument == nil ? files.open(path) : File.openInput(path), file.isRegular,
            let header = try? tool.header(of: file)
        else { return (nil, false, false) }
        return (
            header.uprightSize, tool.makesAnimations(of: file, header),
            header.isAnimated == false && header.hasAlpha == false
        )
    }

    /// Returns the item of a record that this gallery wrote. Returns nil for other records, and if a file of the item
    /// is missing.
    private func written(_ record: Record) throws -> ItemContent? {
        guard let key = record.string("gallery.key"), let item = state.withLock({ $0.items[key] }), item.hasPicture
        else { return nil }
        let content = try item.content()
        let isPresent = try GalleryItem.paths(in: content.record).allSatisfy {
            try folder.folder.status(of: $0)?.kind == TileFolder.kind(of: $0)
        }
        return isPresent ? content : nil
    }

    /// Adds the files of an item to a record, with absolute paths.
    private func takeFiles(of item: ItemContent, _ record: inout Record) {
        guard let raw = item.record.raw("variants"), var variants = try? Record(parsing: raw) else { return }
        for name in variants.names {
            let field = FieldPath(stringLiteral: name)
            guard var file = variants.raw(field).flatMap({ try? Record(parsing: $0) }), let path = file.string("path")
            else { continue }
            file.setPath("path", folder.folder.path(of: path))
            variants.set(name, .raw(file.line))
        }
        record.set("variants", .raw(variants.line))
        if let path = item.record.string("path") { record.setPath("path", folder.folder.path(of: path)) }
    }

    /// Returns the texts in the metadata of a file, or nil if the file cannot be read. That failure is reported later,
    /// when the file is decoded.
    private static func caption(_ path: String) -> EmbeddedCaption? {
        guard let file = try? File.openInput(path), file.isRegular else { return nil }
        return (try? EmbeddedMetadata.read(InputFile(file))).map(EmbeddedCaption.init)
    }

    private static func stem(_ path: String) -> String {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map(Substring.init) ?? path[...]
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return String(name) }
        return String(name[..<dot])
    }

    /// Adds a record's item to the gallery, and sets the record's field `gallery`.
    private func add(_ shown: Record, _ position: Position, _ record: inout Record) {
        var words = publication.record(of: shown, isOfFile: position.isFile)
        var files = Record()
        for name in GalleryItem.fileNames {
            guard let raw = shown.raw(FieldPath(stringLiteral: "variants.\(name)")),
                var file = try? Record(parsing: raw),
                let path = file.string("path").flatMap(relative)
            else { continue }
            file.setPath("path", path)
            file.remove("status")
            files.set(name, .raw(file.line))
        }
        if !files.isEmpty {
            let best = [GalleryItem.original, GalleryItem.large, GalleryItem.overlay, GalleryItem.pager].lazy
                .compactMap { files.string(FieldPath(stringLiteral: $0 + ".path")) }.first
            words.set(["path": best.map { .string($0) }, "variants": .raw(files.line)])
        }
        add(words, position, isFormer: false, &record)
    }

    private func add(_ shown: Record, _ position: Position, isFormer: Bool, _ record: inout Record) {
        let placed = state.withLock { state -> GalleryItem? in
            do {
                var item = GalleryItem(
                    key: position.identity.key, record: shown, day: position.day, stored: try folder.spool.add(shown))
                (item.id, item.formerKey, item.isFormer) = (position.id, position.identity.formerKey, isFormer)
                state.itemsOfRun.append((position.number, item))
                state.files.add(item, shown)
                return state.items.add(item)
            } catch {
                state.failure = error
                return nil
            }
        }
        guard let placed else { return }
        record.set(
            "gallery",
            .object([
                "page": .text(ofPath: folder.folder.path(of: Site.address(of: placed))), "id": .string(placed.id),
            ]))
    }

    /// Converts a path to a path relative to the gallery. Returns nil for a path outside the gallery.
    private func relative(_ path: String) -> String? {
        if GalleryItem.isOwn(path) { return path }
        guard let rest = path.removing(bytePrefix: folder.folder.path + "/") else { return nil }
        return GalleryItem.isOwn(rest) ? rest : nil
    }

    // MARK: Originals

    private func copyOriginal(_ record: inout Record, isArgument: Bool) throws {
        guard let path = try record.path("path"), relative(path) == nil else { return }
        let file = try isArgument ? File.openInput(path) : files.open(path)
        let header = try downsampler([.pager]).header(of: file)
        // If the index has no digest, identify the content by the path, inode, size and modification time of the file.
        let status = file.status
        let digest =
            try downsampler([.pager]).digest(of: path, record)
            ?? "\(path) \(status.identity.inode) \(status.bytes) \(status.modified)"
        let name = "\(ContentFolder.prefix("original \(digest)"))-original.\(header.format.fileExtension)"
        if try folder.pictures.status(of: name)?.bytes != file.count {
            let copy = try OutputFile(in: folder.pictures, name: name, replaces: true)
            try copy.copy(file)
            try copy.commit()
        }
        var variants = record.raw("variants").flatMap { try? Record(parsing: $0) } ?? Record()
        variants.set(
            GalleryItem.original,
            .object([
                "path": .string(folder.pictures.path(of: name)), "width": .integer(header.uprightSize.width),
                "height": .integer(header.uprightSize.height), "bytes": .integer(file.count),
                "format": .string(header.format.id),
            ]))
        record.set("variants", .raw(variants.line))
    }
}
