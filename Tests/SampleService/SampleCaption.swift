import Support
import TestSupport

/// The texts of a day, as plain text and as the new service's HTML, about as long as NASA's texts.
struct SampleCaption {
    /// The title as plain text.
    let title: String
    let titleHTML: String
    /// The sentences of the explanation, 600 to 1,200 characters in total.
    let sentences: [Sentence]
    /// The copyright holder; nil if none is named.
    let author: String?

    init(_ day: CalendarDay) {
        var random = SeededRandom(seed: UInt64(bitPattern: Int64(day.daysSince1970)))
        func pick(_ words: [String]) -> String { words[random.below(words.count)] }
        let thing = pick(["Nebula", "Star Cluster", "Comet", "Galaxy", "Eclipse", "Aurora", "Crater", "Ring Arc"])
        let place = pick(["the Pine Ridge", "a Dry Lake", "the Old Harbor", "Two Summits", "the Salt Flats"])
        let manner = pick(["A Quiet", "A Distant", "A Drawn", "An Unhurried", "A Blue"])
        let plain = "\(manner) \(thing) over \(place)"
        let isUnusual = day.day == 3 || day.day == 17
        title = isUnusual ? "Dust & Light: the Étoile\u{2019}s \u{201C}Café\u{201D} \u{2013} \(plain)" : plain
        titleHTML = isUnusual ? HTML.escaped(title) : plain

        let colour = pick(["red", "teal", "violet", "amber"])
        let glow = Sentence("Its [\(thing.lowercased())] glows in \(colour) because the seed says so.")
        let cause = pick(["a short formula", "arithmetic", "chance"])
        let scattered = Sentence("The stars above \(place) were [scattered] by \(cause).")
        var sentences = [Sentence.pool[0], glow, scattered]
        // The stride and the length of the pool are coprime, so no sentence is repeated.
        let start = random.below(Sentence.pool.count)
        for index in 0..<5 + random.below(3) {
            let place = (start + index * 7) % Sentence.pool.count
            if place > 1 { sentences.append(Sentence.pool[place]) }
        }
        self.sentences = sentences + [Sentence.pool[1]]
        let name = "\(pick(["Ada", "Björn", "Chloé", "Dmitri"])) \(pick(["Sample", "Muster", "O'Test"]))"
        author = random.below(3) == 0 ? nil : name
    }

    /// The explanation as plain text.
    var explanation: String {
        var text = ""
        for sentence in sentences { text += text.isEmpty ? sentence.text : " " + sentence.text }
        return text
    }

    /// The explanation, escaped for an HTML attribute.
    var explanationAttribute: String {
        explanation.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }.joined(separator: "&amp;")
    }

    /// Returns the explanation as HTML, with links to `own`.
    func explanationHTML(_ own: String) -> String {
        var text = ""
        for sentence in sentences {
            if !text.isEmpty { text += "\u{A0} " }
            sentence.writeHTML(own, to: &text)
        }
        return text
    }
}

/// A sentence that contains a link.
struct Sentence {
    private let before: Substring
    private let link: Substring
    private let after: Substring
    /// The sentence as plain text: the words of the link remain, and `&amp;` is decoded. Tags are kept, as in some
    /// texts of the old service.
    let text: String

    /// - Parameter words: HTML, with the words of the link in brackets. Some sentences contain an entity or a tag, so
    ///   that tests can tell the HTML from the plain text.
    init(_ words: some StringProtocol) {
        let parts = Substring(words).split(omittingEmptySubsequences: false) { $0 == "[" || $0 == "]" }
        before = parts[0]
        link = parts.count > 1 ? parts[1] : ""
        after = parts.count > 2 ? parts[2] : ""
        let whole = before + link + after
        let hasEntity = whole.utf8.contains(UInt8(ascii: "&"))
        text = hasEntity ? String(whole).replacing(text: "&amp;", with: "&") : String(whole)
    }

    func writeHTML(_ own: String, to text: inout String) {
        text += before
        text += "<a href=\""
        text += own
        text += "/image-article/links/\" target=\"_blank\">"
        text += link
        text += "</a>"
        text += after
    }

    /// The first sentence begins every explanation, and the second ends it. The sentences between them are taken from
    /// the other sentences.
    static let pool = """
        This sky was [never seen] from anywhere: it was drawn from the number of its day.
        Ask again &amp; the same picture comes back, <i>pixel by pixel</i>, [every time].
        What looks like dust is [dust of numbers], spread so thin that nothing can settle on it.
        Light from the bright star at the left would need [no time at all] to get here, since it never left.
        Had there been [a telescope], it would have stood on a hill &amp; its dome would have been white.
        The darker lane through the middle is where the [generator] ran out of large values for a while.
        Careful readers of the lower corner find [a second arc], fainter than the first and of another colour.
        Astronomers were [not asked] what they think of it; the frame would span about three full moons.
        To the naked eye the whole scene would be as dim as [a candle] behind the next mountain but one.
        Exposures of no length were added up by [a loop], and the result was stretched until it filled the range.
        Two satellites that do not exist would have crossed the field; their [trails] were left out.
        The horizon is level to [half a pixel], which no tripod has ever managed on the first attempt.
        Over the next million years nothing in the picture is [expected to move], explode or be renamed.
        Colours follow a palette of [hydrogen &amp; oxygen] that a designer rather than a spectrograph has chosen.
        The same field, seen a day earlier, looked [quite different], because a day earlier the seed was smaller.
        Whether the cluster is bound or only [passing through] is a question that the formula leaves open.
        At full size the picture rewards [a second look] at the edges, where the vignette hides a few stars more.
        No [weather] disturbed the view, although clouds would have been easy enough to add at this point.
        A map of the region is [of little use]: its coordinates are those of an array that begins with zero.
        """.split(separator: "\n").map { Sentence($0) }
}
