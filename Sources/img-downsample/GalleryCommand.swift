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
        "gallery", summary: "Make pages that show the pictures, for any browser.",
        details: """
            Takes what img-downsample takes, makes thumbnails and larger variants from one decoding each, and writes \
            pages that show them: a start page, a page for each month, details with the text of each picture, and \
            full screen. The folder needs no server and no network. Words come from the fields of records that \
            apod-fetch and its like give, or from those that the options name.

            A second run adds to the folder; what is there already is not made again. The page holds no key, scope, \
            private address or local path. `img-downsample gallery --output-dir DIR < DIR/records.ndjson` writes the \
            pages anew, as after an update of the tools.
            """,
        examples: [
            "img-cache put < in.ndjson | img-downsample gallery --output-dir site",
            "img-downsample gallery --output-dir site --title Holidays --originals *.jpg",
            "img-downsample gallery --output-dir site --base-url https://a.org/ < in.ndjson",
            "img-downsample gallery --output-dir site < site/records.ndjson",
        ],
        operands: .init(
            "PICTURE", "Files; - reads standard input, for records or one path per line.", completion: .files),
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
        guard let path = arguments[.outputDir] else { throw UsageFailure("say where the pages go: --output-dir DIR") }
        let settings = try gallerySettings()
        let cache = try cacheSettings(needsRoot: false)
        let options = try runOptions(.pictures)
        var encodeSettings = try DownsampleSettings.baseEncodeSettings(self)
        encodeSettings.wantsHash = true
        var maker = VariantMaker(encodeSettings: encodeSettings, options: try DownsampleSettings.decoding(self))
        maker.metrics = metrics
        maker.progress = progress
        maker.options.spareThreads = ThreadBudget(options.jobs)
        let allowed = try DownsampleSettings.allowedFolders(self)
        let folder = try GalleryFolder(path)
        var requirements = SandboxRequirements()
        requirements.inputs = arguments.operands + allowed
        requirements.readsInput = arguments.readsInput
        requirements.folders = [folder.folder.path]
        requirements.changesCache = false
        requirements.loadsCodecs = encodeSettings.format == .avif
        // Addresses in records may have international host names.
        requirements.mapsHosts = true
        confine(cache, requirements)
        let caches = caches(cache)
        defer { caches.close() }
        let files = PathGuard(folders: cache.folders + allowed + [folder.folder.path])
        let tool = try GalleryTool(settings, in: folder, files: files) { [maker, log] variants, content in
            DownsampleTool(
                variants: variants, maker: maker, output: .content(content), caches: caches, pathGuard: files, log: log)
        }
        let status = try run(tool, options: options, over: arguments.pictureFiles)
        try tool.write()
        return status
    }

    private func gallerySettings() throws -> GallerySettings {
        var settings = GallerySettings(
            title: arguments[.galleryTitle], theme: arguments[.galleryTheme], pageSize: try value(.pageSize))
        settings.baseURL = arguments[.baseURL]
        settings.keepsOriginals = arguments[.originals]
        settings.prunes = arguments[.prune]
        settings.stylesheet = try arguments[.css].map { path in
            try File.openInput(path).contents(atMost: 1 << 20)
        }
        for named in arguments.all(.recordFields) {
            if let text = GalleryText(rawValue: named.name) { settings.fields[text] = named.fields }
        }
        return settings
    }
}

extension AnyOption {
    static let galleryTitle = Option.text("title", "TEXT", summary: "What the gallery is called.")
        .defaulting(to: "Gallery")
    static let galleryTheme = Option<GallerySettings.Theme>.case(
        "theme", "THEME", summary: "Colours: auto (as the reader's system), light or dark."
    ).defaulting(to: .auto)
    static let css = Option<String>(
        "css", synonyms: ["style"], form: .value("FILE"), expected: "a file", completion: .files, group: .own,
        summary: "A style sheet of your own, on top of the gallery's."
    ) { $0.isEmpty ? nil : $0 }
    static let baseURL = Option<String>(
        "base-url", synonyms: ["public"], form: .value("URL"), expected: "an address such as https://example.org/sky/",
        group: .own,
        summary: "Where the folder will be published: for the feed, and for sites that preview a link."
    ) { text in
        guard let url = try? WebURL(text), url.query == nil, url.fragment == nil, url.credentials == nil else {
            return nil
        }
        let address = url.description
        return address.hasSuffix("/") ? address : address + "/"
    }
    static let originals = Option.flag(
        "originals", summary: "Copy the originals, too, as they are, with all that is in them.")
    static let prune = Option.flag("prune", summary: "Drop pictures that this run does not bring, and their files.")
    static let recordFields = AnyOption.recordFields(
        GalleryText.allCases.map { "\($0)=" }, .own,
        expected: "a text and its fields, such as title=name,headline or date=net",
        synonyms: GalleryText.allCases.map { "\($0)-field" },
        summary: """
            Fields with a text of the page: \(GalleryText.allCases.map(\.rawValue).list(before: "or")), such as title=name.
            """,
        manual: """
            The first field that a record has counts. Without the option these are \
            \(GalleryText.allCases.map(standardField).list(before: "and")).
            """)

    /// The fields of a text by default, as a value of `--field`.
    private static func standardField(_ text: GalleryText) -> String {
        "\(text)=" + GalleryText.standardFields[text, default: []].map(\.description).joined(separator: ",")
    }
}

extension [AnyOption] {
    static let gallery: [AnyOption] = [
        .outputDir, .galleryTitle, .galleryTheme, .pageSize, .css, .baseURL, .originals, .prune,
        .recordFields,
    ]
}
