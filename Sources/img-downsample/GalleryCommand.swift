import CacheTools
import Commands
import Gallery
import HTTP
import Images
import Libc
import Options
import Records
import Store
import Support
import Variants

extension Command {
    static let gallery = Command(
        "gallery", summary: "Make web pages that show the pictures.",
        details: """
            Accepts the same input as img-downsample, decodes each picture once to make a thumbnail and a larger \
            variant, and writes pages that show them: a start page, a page for each month, details with the text of \
            each picture, and a full-screen view. The folder needs no server and no network. Texts come from the \
            fields of apod-fetch and similar sources, or from the fields that --field names.

            Further runs add pictures to the folder, and do not make existing variants again. The pages contain no \
            key, scope, private address or local path. `img-downsample gallery --output-dir DIR < DIR/records.ndjson` \
            writes the pages again, for example after an update of the tools.
            """,
        examples: [
            "img-cache put < in.ndjson | img-downsample gallery --output-dir site",
            "img-downsample gallery --output-dir site --title Holidays --originals *.jpg",
            "img-downsample gallery --output-dir site --base-url https://a.org/ < in.ndjson",
            "img-downsample gallery --output-dir site < site/records.ndjson",
            "img-downsample gallery --output-dir site --remove 2024-02-03",
        ],
        operands: .init(
            "PICTURE", "Files, or - for standard input: records, or one path per line.", completion: .files),
        options: {
            [.gallery, [.format, .quality, .effort, .chroma, .decoder], [.allowPath], .limits, .stream, .common]
        },
        synonyms: ["site", "album"]
    ) { arguments in
        let context = try ToolContext(arguments)
        defer { context.progress.end() }
        return try context.makeGallery()
    }
}

extension ToolContext {
    fileprivate func makeGallery() throws -> Int32 {
        guard let path = arguments[.outputDir] else { throw UsageFailure("no output folder; use --output-dir DIR") }
        let folder = try GalleryFolder(path)
        let settings = try gallerySettings(folder)
        let onlyRemoves = !settings.removed.isEmpty && arguments.operands.isEmpty
        var cache = try cacheSettings(needsRoot: false)
        let options = try runOptions(.pictures)
        var encodeSettings = try DownsampleSettings.baseEncodeSettings(self)
        encodeSettings.wantsHash = true
        encodeSettings.avoidsPNG = true
        var maker = VariantMaker(encodeSettings: encodeSettings, options: try DownsampleSettings.decoding(self))
        maker.metrics = metrics
        maker.progress = progress
        maker.options.spareThreads = ThreadBudget(options.jobs)
        let allowed = try DownsampleSettings.allowedFolders(self)
        var requirements = SandboxRequirements(changesCache: false)
        requirements.inputs = arguments.operands + allowed
        requirements.readsInput = arguments.readsInput && !onlyRemoves
        requirements.folders = [folder.folder.path]
        requirements.loadsCodecs = encodeSettings.format == .avif
        // Records may contain addresses with internationalised host names.
        requirements.mapsHosts = true
        confine(&cache, requirements)
        let caches = caches(cache)
        defer { caches.close() }
        let files = PathGuard(folders: cache.folders + allowed + [folder.folder.path])
        let tool = GalleryTool(settings, in: folder, files: files) { [maker, log] variants, content in
            DownsampleTool(
                variants: variants, maker: maker, output: .content(content), caches: caches, pathGuard: files, log: log)
        }
        let status = onlyRemoves ? 0 : try run(tool, options: options, over: arguments.pictureFiles)
        try tool.write()
        return status
    }

    /// Returns the settings. An omitted option has the value that an earlier run stored in the folder.
    private func gallerySettings(_ folder: GalleryFolder) throws -> GallerySettings {
        let (earlier, stylesheet) = try folder.rememberedSettings()
        var remembered = Record()
        func value<Value>(_ option: AnyOption, as type: Value.Type = Value.self) -> Value? {
            let text = arguments.text(option) ?? earlier.string(FieldPath(stringLiteral: option.name))
            guard let text, let value = try? option.parse(text) as? Value else { return nil }
            remembered.set(option.name, .string(text))
            return value
        }
        var settings = GallerySettings(
            title: value(.galleryTitle) ?? arguments[.galleryTitle],
            theme: value(.galleryTheme) ?? arguments[.galleryTheme], pageSize: try self.value(.pageSize))
        settings.baseURL = value(.baseURL)
        settings.identity = value(.identity)
        settings.groupField = value(.groupField, as: String.self).flatMap { FieldPath($0) }
        settings.removesGroups = arguments.text(.groupField)?.isEmpty == true
        if settings.removesGroups { remembered.remove(AnyOption.groupField.name) }
        settings.keepsOriginals = arguments[.originals]
        settings.prune = arguments[.prune]
        settings.removed = Set(arguments.all(.remove))
        settings.stylesheet =
            try arguments[.css].map { path in try File.openInput(path).contents(atMost: 1 << 20) } ?? stylesheet
        let fields = earlier.strings("field").compactMap { try? AnyOption.recordFields.value(of: $0) }
        for named in fields + arguments.all(.recordFields) {
            if let text = GalleryText(rawValue: named.name) { settings.fields[text] = named.fields }
        }
        let changed = GalleryText.allCases.compactMap { text -> JSON? in
            guard let fields = settings.fields[text], fields != GalleryText.standardFields[text] else { return nil }
            return .string("\(text)=" + fields.map(\.description).joined(separator: ","))
        }
        if !changed.isEmpty { remembered.set("field", .array(changed)) }
        settings.remembered = remembered
        return settings
    }
}

extension AnyOption {
    static let galleryTitle = Option.text("title", "TEXT", summary: "The title of the gallery.")
        .defaulting(to: "Gallery")
    static let galleryTheme = Option<GallerySettings.Theme>.case(
        "theme", "THEME", summary: "Colours: auto (as the visitor's system), light or dark."
    ).defaulting(to: .auto)
    static let css = Option<String>(
        "css", synonyms: ["style"], form: .value("FILE"), expected: "a file", completion: .files, group: .own,
        summary: "Add your own style sheet to the gallery's."
    ) { $0.isEmpty ? nil : $0 }
    static let baseURL = Option<String>(
        "base-url", synonyms: ["public"], form: .value("URL"), expected: "an address such as https://example.org/sky/",
        group: .own, summary: "The address where the folder will be published, for the feed and for link previews."
    ) { text in
        guard let url = try? WebURL(text), url.query == nil, url.fragment == nil, url.credentials == nil else {
            return nil
        }
        let address = url.description
        return address.hasSuffix("/") ? address : address + "/"
    }
    static let originals = Option.flag("originals", summary: "Also copy the originals, including all their metadata.")
    static let prune = Option<PruneLimit>(
        "prune", form: .optionalValue("all", implied: PruneLimit.half.rawValue), expected: "all",
        completion: .words([PruneLimit.all.rawValue]), group: .own,
        summary: "Remove pictures that are not in the input.",
        manual: """
            Removes nothing if the input contains no pictures or a record with a temporary failure. Without =all, also \
            removes nothing if more than half of the pictures would be removed.
            """, read: PruneLimit.init)
    static let remove = Option<String>(
        "remove", form: .value("ID"), expected: "a picture's gallery.id", group: .own, repeats: true,
        summary: "Remove this picture, such as 2024-02-03.",
        manual: """
            The id is gallery.id in the output, which is also the part after # in gallery.page. With this option and \
            no operands, standard input is not read: pictures are only removed.
            """
    ) { $0.isEmpty ? nil : $0 }
    static let identity = Option<FieldPath>(
        "identity", form: .value("FIELD"), expected: "a field such as id", group: .own,
        summary: "The field that identifies a picture.",
        manual: """
            The default is the date of a record of apod-fetch, else id, else the address, else the path relative to \
            the working directory.
            """
    ) { FieldPath($0) }
    static let groupField = Option<String>(
        "group-field", form: .value("FIELD"), expected: "a field such as tags, or an empty text", group: .own,
        summary: "Make a page for each tag or album in this field.",
        manual: """
            The value is a text, a number or an array of them. Of a record, the first \(GallerySettings.maxGroups) values count. \
            An empty FIELD removes all groups.
            """
    ) { $0.isEmpty || FieldPath($0) != nil ? $0 : nil }
    static let recordFields = AnyOption.recordFields(
        GalleryText.allCases.map(\.rawValue), isOptional: true, .own,
        expected: "a text and its fields, such as title=name,headline or date=net",
        summary: """
            Fields for a text of the page: \(GalleryText.allCases.map(\.rawValue).list(before: "or")), such as title=name.
            """,
        manual: """
            The text comes from the first of these fields that a record has. Without fields, as in credit=, it is not \
            shown. The defaults are \
            \(GalleryText.allCases.compactMap(standardField).list(before: "and")). With fields, \
            as in camera=camera, camera is the camera, lens and exposure in the EXIF of a file.
            """)

    /// Returns the default fields of a text as a value of `--field`, or nil if it has none.
    private static func standardField(_ text: GalleryText) -> String? {
        guard let fields = GalleryText.standardFields[text], !fields.isEmpty else { return nil }
        return "\(text)=" + fields.map(\.description).joined(separator: ",")
    }
}

extension [AnyOption] {
    static let gallery: [AnyOption] = [
        .outputDir, .galleryTitle, .galleryTheme, .pageSize, .css, .baseURL, .originals, .prune,
        .remove, .identity, .groupField, .recordFields,
    ]
}
