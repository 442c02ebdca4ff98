import Articles
import Records

/// Renders the details of a picture, which pages show with its texts, credit and links.
extension Site {
    private static let details = PageTemplate(PackageResources.details_html)

    func details(_ item: Int, _ shown: ItemContent, on page: Page) -> String {
        var markup = texts(of: shown, on: page)
        markup["figure"] = figure(shown, page)
        markup["steps"] = steps(around: item) { link(to: $0, from: page) }
        return Self.details.filled(text: ["id": shown.id, "title": shown.title], markup: markup)
    }

    /// Returns links to the newer and the older picture.
    func steps(around item: Int, address: (Int) -> String) -> String {
        let steps = [(item - 1, "prev", "Newer:"), (item + 1, "next", "Older:")]
        return steps.filter { items.indices.contains($0.0) }.map { other, rel, words in
            let (link, title) = (Markup.text(address(other)), Markup.text(items[other].title))
            return "<a rel=\"\(rel)\" href=\"\(link)\"><span>\(words)</span> <span dir=\"auto\">\(title)</span></a>"
        }.joined()
    }

    /// Returns the markup of a picture's texts, by their names in the templates.
    func texts(of shown: ItemContent, on page: Page) -> [String: String] {
        let caption = shown.caption
        let paragraphs = caption?.paragraphs.map { text in
            "<p dir=\"auto\">"
                + text.parts.map { part in part.address.map { Self.external(part.text, $0) } ?? Markup.text(part.text) }
                .joined() + "</p>"
        }
        let when = time(shown)
        let licence = shown.record.string("license").map { "Licence: \($0)" }
        let camera = shown.record.string("camera").map { "Camera: \($0)" }
        let credits = (caption?.credits ?? []) + [licence, camera].compactMap { $0 }
        return [
            "when": when.isEmpty ? "" : "<p class=\"when\">\(when)</p>",
            "paragraphs": paragraphs?.joined(separator: "\n") ?? "",
            "credits": credits.map(Self.credit).joined() + groups(of: shown, on: page),
            "links": links(shown, caption, page),
        ]
    }

    /// Returns the markup of a credit line: its label, such as "Licence", and the text.
    private static func credit(_ line: String) -> String {
        let parts = line.split(separator: ":", maxSplits: 1).map { Markup.text(String($0)) }
        return "<p class=\"credit\"><span>\(parts[0]):</span> <bdi>\(parts.dropFirst().joined())</bdi></p>"
    }

    private func figure(_ item: ItemContent, _ page: Page) -> String {
        guard let poster = item.poster else {
            return missing(item)
        }
        let animation = item.animation
        var attributes = "src=\"\(page.root)\(poster.path)\" width=\"\(poster.width)\" height=\"\(poster.height)\""
        func add(_ name: String, _ file: ItemContent.File?) {
            guard let file, file.width > poster.width else { return }
            attributes += " data-\(name)=\"\(page.root)\(file.path)\" data-\(name)-width=\"\(file.width)\""
            attributes += " data-\(name)-height=\"\(file.height)\""
        }
        let overlay = item.file(GalleryItem.overlay)
        add("overlay", overlay)
        if let animation {
            attributes += " data-other=\"\(page.root)\(animation.path)\""
        } else if let overlay, overlay.width > poster.width {
            let set = [poster, overlay].map { "\(page.root)\($0.path) \($0.width)w" }.joined(separator: ", ")
            attributes += " srcset=\"\(set)\" sizes=\"(min-width: 56em) 70vw, 100vw\""
        }
        let tiles = item.file(GalleryItem.tiles)
        add("tiles", tiles)
        // Without tiles, the largest file is shown at the largest zoom.
        let best = tiles == nil ? item.file(GalleryItem.large) ?? item.file(GalleryItem.original) : nil
        add("original", best.flatMap { best in best.width > overlay?.width ?? 0 ? best : nil })
        let words = Markup.text(item.caption?.alt ?? item.title)
        let reason = item.hasError ? "<p class=\"reason\" dir=\"auto\">\(Markup.text(reason(item)))</p>" : ""
        return """
            <figure class="\(look(item))"\(data(item))><img \(attributes) alt="\(words)" loading="lazy" \
            decoding="async">\(playLink(item, page.root) ?? "")</figure>\(reason)

            """
    }

    /// Marks the link to the original, which the script offers as a download.
    private static let originalMark = " class=\"original\""

    private func links(_ item: ItemContent, _ caption: Caption?, _ page: Page) -> String {
        var links: [String] = []
        let original = item.file(GalleryItem.original)
        if let caption, let media = caption.media {
            let words = caption.isVideo ? "Watch the video" : "The picture at its source"
            let address = item.player?.page ?? media
            links.append(Self.external(words, address, original: original == nil && !caption.isVideo))
        }
        if let address = caption?.page {
            let host = address.split(separator: "/").dropFirst().first.map(String.init) ?? address
            links.append(Self.external("Its page at \(host)", address))
        }
        if let original {
            let words = "The original (\(original.width) × \(original.height))"
            links.append("<a\(Self.originalMark) href=\"\(page.root)\(original.path)\">\(words)</a>")
        }
        if page.path != item.page {
            links.append("<a class=\"own\" href=\"\(page.root)\(item.page)\">This picture’s own page</a>")
        }
        return links.isEmpty ? "" : "<p class=\"links\">\(links.joined(separator: " "))</p>"
    }

    private static func external(_ words: String, _ address: String, original: Bool = false) -> String {
        let mark = original ? originalMark : ""
        return "<a\(mark) href=\"\(Markup.text(address))\" rel=\"noopener noreferrer\">\(Markup.text(words))</a>"
    }
}
