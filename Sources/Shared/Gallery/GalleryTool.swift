import Formats
import Images
import Records
import Store
import Support
import Variants

/// Puts each record's picture into a gallery: the work of `img-downsample gallery`.
///
/// Records leave as soon as their pictures are made; the pages are written at the end, by `write`.
public final class GalleryTool: RecordTool {
    public let name = "img-downsample"
    private let settings: GallerySettings
    private let folder: GalleryFolder
    private let downsampler: @Sendable ([Variant]) -> DownsampleTool
    private let publication: Publication
    private let files: PathGuard
    private let state: Monitor<State>
    /// What is known of the files in `pictures`, by their names: a file that two records share is made once.
    private let facts: Monitor<[String: FileFacts]>

    private struct State {
        /// What has been written before, and what has come so far.
        var places: PlaceCollection
        /// What came, by its number: records are worked on several at a time.
        var came: [Int: Place] = [:]
        var count = 0
    }

    /// More pixels than these are too much for a phone.
    private static let mostPixels = 24_000_000

    /// The variants that a page needs of a picture: none that would be the same as the pager's.
    ///
    /// - Parameter size: the picture's; nil if it is not known.
    static func variants(of size: PixelSize?, keepingOriginals: Bool) -> [Variant] {
        func box(_ name: String, _ width: Int, _ height: Int) -> Variant {
            Variant(name: name, geometry: Geometry(width: width, height: height))
        }
        let thumbnails = [box(Place.thumbnail, 720, 240), box(Place.sharpThumbnail, 1440, 480)]
        guard let size else { return thumbnails + [.pager, .overlay] }
        func scale(_ variant: Variant) -> Double {
            let (width, height) = (variant.geometry.width ?? 0, variant.geometry.height ?? 0)
            return min(1, Double(width) / Double(size.width), Double(height) / Double(size.height))
        }
        let pager = scale(.pager)
        var all = thumbnails.filter { scale($0) != pager } + [.pager]
        if pager < 1 { all.append(.overlay) }
        if keepingOriginals, size.width.multipliedReportingOverflow(by: size.height).partialValue > mostPixels {
            var large = Variant(name: Place.large, geometry: Geometry())
            large.geometry.maxPixels = mostPixels
            all.append(large)
        }
        return all
    }

    /// Reads what the folder holds. Throws `SystemFailure`.
    ///
    /// - Parameters:
    ///   - files: which files records may name, the gallery's own among them.
    ///   - downsampler: makes the tool that makes the variants, into this folder.
    public init(
        _ settings: GallerySettings, in folder: GalleryFolder, files: PathGuard,
        downsampler: @escaping @Sendable ([Variant], ContentFolder) -> DownsampleTool
    ) throws {
        self.settings = settings
        self.folder = folder
        self.files = files
        publication = Publication(fields: settings.fields)
        let places = try folder.places()
        let facts = Monitor(folder.facts(of: places))
        self.facts = facts
        let content = ContentFolder(folder.pictures) { name in facts.withLock { $0[name] } }
        self.downsampler = { downsampler($0, content) }
        state = Monitor(State(places: places))
    }

    /// Writes the pages. Throws `SystemFailure` (73).
    public func write() throws {
        let came = state.withLock { state in state.came.sorted { $0.key < $1.key }.map(\.value) }
        try folder.write(came, settings)
    }

    // MARK: Records

    public var acceptsErrors: Bool { true }

    /// Which place a record is for: decided in the order in which records come.
    private struct Position {
        let number: Int
        let key: String
        let day: CalendarDay?
        let id: String
    }

    /// Called for each record in order.
    public func prepare(_ job: RecordJob) throws -> Prepared {
        var named = job.record
        if let argument = job.argument { named.setPath("path", argument) }
        let day = Publication.day(of: named, settings.fields)
        let key = Place.key(of: named, day: day)
        let position = state.withLock { state in
            defer { state.count += 1 }
            return Position(number: state.count, key: key, day: day, id: state.places.reserveID(key, day))
        }
        guard downsampler([.pager]).accepts(job), !isMovie(job.record) else {
            var record = job.record
            add(job.record, position, &record)
            return .done(job.record.hasError ? job.record : record)
        }
        return .work { [self] record, _ in try process(&record, job.argument, position) }
    }

    private func isMovie(_ record: Record) -> Bool { record.string("cache.content_type")?.hasPrefix("video/") ?? false }

    private func process(_ record: inout Record, _ argument: String?, _ position: Position) throws {
        if argument == nil, let path = try record.path("path"), !path.hasPrefix("/") {
            // A record of the gallery itself.
            if let place = try written(record) {
                takeFiles(of: place, &record)
                return add(place, position, &record)
            }
            record.setPath("path", folder.folder.path(of: path))
        }
        do {
            let variants = Self.variants(
                of: size(record, argument: argument), keepingOriginals: settings.keepsOriginals)
            try downsampler(variants).process(&record, argument: argument) { _ in }
            var shown = record
            if argument != nil, let path = argument, !record.has("title"), !record.has("name") {
                // A file is called by its name.
                shown.set("title", .string(Self.stem(path)))
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

    /// Records the files of a picture in the index of its cache.
    private func remember(_ shown: Record, of path: String, _ record: Record) throws {
        let made = Place.fileNames.compactMap { name -> DownsampleTool.Made? in
            guard let raw = shown.raw(FieldPath(stringLiteral: "variants.\(name)")),
                let file = try? Record(parsing: raw),
                let path = file.string("path"), relative(path) != nil
            else { return nil }
            return DownsampleTool.Made(path: path, values: ["variant": name], template: nil, field: .raw(Array(raw)))
        }
        try downsampler([.pager]).remember(made, in: folder.folder.path, of: path, record)
    }

    /// The picture's size, as far as it can be had without a copy of the file: what the record says of it, which at
    /// worst makes one variant too many or too few, or what the file's header says.
    private func size(_ record: Record, argument: String?) -> PixelSize? {
        if let width = record.integer("cache.width"), let height = record.integer("cache.height"), width > 0, height > 0
        {
            return PixelSize(width: width, height: height)
        }
        let path = argument ?? (try? record.path("path")) ?? nil
        guard let path, let file = try? argument == nil ? files.open(path) : File.openInput(path), file.isRegular else {
            return nil
        }
        return try? inspect(InputFile(file)).uprightSize
    }

    /// The place that a line of the gallery's own records stands for, if its files are there.
    private func written(_ record: Record) throws -> Place? {
        guard let key = record.string("gallery.key"), let place = state.withLock({ $0.places[key] }), place.hasPicture,
            try place.paths.allSatisfy({ try folder.folder.status(of: $0)?.kind == .file })
        else { return nil }
        // Its words may have been changed by hand.
        var shown = publication.record(of: record)
        shown.set([
            "path": place.record.string("path").map { .string($0) },
            "variants": place.record.raw("variants").map { .raw(Array($0)) },
        ])
        return Place(key: key, record: shown, day: Publication.day(of: shown, settings.fields))
    }

    /// Gives a record the absolute paths of a place's files.
    private func takeFiles(of place: Place, _ record: inout Record) {
        guard let raw = place.record.raw("variants"), var variants = try? Record(parsing: raw) else { return }
        for name in variants.names {
            let field = FieldPath(stringLiteral: name)
            guard var file = variants.raw(field).flatMap({ try? Record(parsing: $0) }), let path = file.string("path")
            else { continue }
            file.setPath("path", folder.folder.path(of: path))
            variants.set(name, .raw(file.line))
        }
        record.set("variants", .raw(variants.line))
        if let path = place.record.string("path") { record.setPath("path", folder.folder.path(of: path)) }
    }

    private static func stem(_ path: String) -> String {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map(Substring.init) ?? path[...]
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return String(name) }
        return String(name[..<dot])
    }

    /// Adds the place of a record, and tells the record where it is.
    private func add(_ shown: Record, _ position: Position, _ record: inout Record) {
        var words = publication.record(of: shown)
        var files = Record()
        for name in Place.fileNames {
            guard let raw = shown.raw(FieldPath(stringLiteral: "variants.\(name)")),
                var file = try? Record(parsing: raw),
                let path = file.string("path").flatMap(relative)
            else { continue }
            file.setPath("path", path)
            file.remove("status")
            if let known = FileFacts(written: file) {
                facts.withLock { $0[GalleryFolder.name(ofPicture: path)] = known }
            }
            files.set(name, .raw(file.line))
        }
        if !files.isEmpty {
            let best = [Place.original, Place.large, Place.overlay, Place.pager].lazy
                .compactMap { files.string(FieldPath(stringLiteral: $0 + ".path")) }.first
            words.set(["path": best.map { .string($0) }, "variants": .raw(files.line)])
        }
        add(Place(key: position.key, record: words, day: position.day), position, &record)
    }

    private func add(_ place: Place, _ position: Position, _ record: inout Record) {
        var place = place
        place.id = position.id
        let placed = state.withLock { state in
            state.came[position.number] = place
            return state.places.add(place)
        }
        guard let placed else { return }
        record.set(
            "gallery",
            .object([
                "page": .text(ofPath: folder.folder.path(of: Site.address(of: placed))), "id": .string(placed.id),
            ]))
    }

    /// A path from the gallery's folder on; nil for one outside of it.
    private func relative(_ path: String) -> String? {
        if Place.isOwn(path) { return path }
        guard let rest = path.removing(bytePrefix: folder.folder.path + "/") else { return nil }
        return Place.isOwn(rest) ? rest : nil
    }

    // MARK: Originals

    /// Copies the original next to its variants.
    private func copyOriginal(_ record: inout Record, isArgument: Bool) throws {
        guard let path = try record.path("path"), relative(path) == nil else { return }
        let file = try isArgument ? File.openInput(path) : files.open(path)
        let header = try inspect(InputFile(file))
        // A file's own name says nothing of its content, but its place on the disk does, and when it was changed.
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
            Place.original,
            .object([
                "path": .string(folder.pictures.path(of: name)), "width": .integer(header.uprightSize.width),
                "height": .integer(header.uprightSize.height), "bytes": .integer(file.count),
                "format": .string(header.format.rawValue),
            ]))
        record.set("variants", .raw(variants.line))
    }
}
