import Articles
import HTML

/// The videos and pictures in `basic_html`, the field of the new service's answer that contains the HTML of the day's
/// page. No other field has the address of a video or of an animated GIF.
struct EmbeddedMedia: Equatable {
    /// A picture, and the larger version that it links to.
    struct Picture: Equatable {
        let shown: MediaAddress
        let linked: MediaAddress?
    }

    /// The addresses of `video` and `source` elements, then of frames, each in page order and without duplicates.
    /// Addresses that are certainly videos come first, because some frames contain only a visitor counter.
    private(set) var videos: [MediaAddress] = []
    /// The first poster of a `video` element.
    private(set) var poster: MediaAddress?
    private(set) var pictures: [Picture] = []

    /// Returns nil if the page exceeds the parser's limits. `base` is the address of the page, for relative references.
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
            // Flash names its movie in a parameter.
            case "param" where ["movie", "src"].contains(element.attributes["name"]?.lowercased()):
                frames += [address("value")].compactMap { $0 }
            case "video":
                videos += [address("src")].compactMap { $0 }
                poster = poster ?? address("poster").flatMap { $0.isStandIn ? nil : $0 }
            case "source":
                // Skip a `source` in a `picture` element, which has no `src`, and in an `audio` element, which has an
                // audio type.
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
