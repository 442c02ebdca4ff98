/// Escapes text and addresses for HTML and XML, with character references that both formats define.
public enum Markup {
    /// Escapes text for content and quoted attributes, and removes characters that are invalid in XML 1.0 (§2.2).
    public static func text(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\u{FFFE}", "\u{FFFF}": break
            case "\u{0}"..<"\u{20}": result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    public static func link(_ text: String, to address: String) -> String { link(markup: self.text(text), to: address) }

    public static func link(markup: String, to address: String) -> String {
        "<a href=\"\(text(address))\">\(markup)</a>"
    }

    public static func paragraph(_ text: LinkedText) -> String {
        let parts = text.parts.map { part in part.address.map { link(part.text, to: $0) } ?? self.text(part.text) }
        return "<p>\(parts.joined())</p>"
    }
}

extension Caption {
    /// Returns the HTML of the picture or of the still of a video, linked to the largest version. If `playsMovies` is
    /// true and the medium is a movie, returns a player instead. Returns nil if there is nothing to show.
    func figure(playsMovies: Bool) -> String? {
        if playsMovies, isVideo, let media, MediaAddress(media)?.kind == .movie {
            let poster = shown.map { " poster=\"\(Markup.text($0))\"" } ?? ""
            return "<video controls preload=\"none\"\(poster) src=\"\(Markup.text(media))\"></video>"
        }
        guard let shown else { return media.map { Markup.link(mediaLabel, to: $0) } }
        let words = Markup.text(alt ?? title ?? "")
        let image = "<img src=\"\(Markup.text(shown))\" alt=\"\(words)\"\(playsMovies ? " loading=\"lazy\"" : "")>"
        return Markup.link(markup: image, to: media ?? shown)
    }
}
