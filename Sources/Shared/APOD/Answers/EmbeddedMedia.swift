import Articles
import HTML

/// The videos and pictures in the page of a day, which the new service sends along as `basic_html`. For a video, and
/// for an animated GIF, it is the only place where it says what they are.
struct EmbeddedMedia: Equatable {
    /// A picture, and the larger one that it links to.
    struct Picture: Equatable {
        let shown: MediaAddress
        let linked: MediaAddress?
    }

    /// The players and movies in the order of the page, each address once, those that are surely a video before other
    /// frames (a page may hold frames that only count visitors).
    private(set) var videos: [MediaAddress] = []
    /// A video's own still.
    private(set) var poster: MediaAddress?
    private(set) var pictures: [Picture] = []

    /// Nil if the page is over the parser's limits.
    ///
    /// - Parameters:
    ///   - html: the page.
    ///   - base: its own address, for relative references.
    init?(page html: String, base: MediaAddress?) {
        let names = ["iframe", "embed", "object", "param", "video", "source", "img"]
        guard let elements = HTMLElement.all(names, inPage: html) else { return nil }
        var frames: [MediaAddress] = []
        for element in elements {
            func address(_ attribute: String) -> MediaAddress? {
                MediaAddress(element.attributes[attribute], base: base)
            }
            switch element.name {
            case "iframe", "embed": frames += [address("src") ?? address("data-src")].compactMap { $0 }
            case "object": frames += [address("data")].compactMap { $0 }
            // Flash's own way to say what an object plays.
            case "param" where ["movie", "src"].contains(element.attributes["name"]?.lowercased()):
                frames += [address("value")].compactMap { $0 }
            case "video":
                videos += [address("src")].compactMap { $0 }
                poster = poster ?? address("poster").flatMap { $0.isStandIn ? nil : $0 }
            case "source":
                // Inside `picture` a source has no `src`, inside `audio` its type says so.
                guard let source = address("src"), element.attributes["type"]?.containsIgnoringCase("audio") != true,
                    source.kind != .picture
                else { continue }
                videos.append(source)
            case "img":
                guard let shown = address("src") ?? address("data-src"), !shown.isStandIn else { continue }
                let linked = MediaAddress(element.link, base: base)
                pictures.append(Picture(shown: shown, linked: linked?.kind == .picture ? linked : nil))
            default: break
            }
        }
        videos += frames.filter { $0.kind != .picture }
        videos = videos.filter(\.isVideo) + videos.filter { !$0.isVideo }
        videos = videos.enumerated().filter { index, video in !videos[..<index].contains(video) }.map(\.element)
    }
}
