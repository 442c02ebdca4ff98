import Records
import Support
import TestSupport
import Testing

@testable import APOD
@testable import Articles

/// Tests of randomly damaged answers of both services. Each must be parsed to a valid picture or be refused with an
/// `APODFailure` that has a message. A failed test prints the seed.
@Suite struct MutationTests {
    private static let html = page(
        "<a href=/big.gif><IMG SRC=\"//x.org/small.gif\" alt='&amp;quot;'></a><table><tr><td>A<br>B<p><b>C<i>D</b></i>"
            + "<video poster=still.jpg><source src=a.webm><source src=https://x.org/a.mp4 type=video/mp4></video>"
            + "<iframe src=\"//www.youtube.com/embed/abc-DEF_123?rel=0\"></iframe><object><param name=movie value=x.swf></object>"
    )

    private static let science = [
        scienceAnswer(),
        scienceAnswer("2026-11-20", ["media_type": "video", "hdurl": .string(placeholder), "basic_html": html]),
        scienceAnswer(
            "2026-11-20",
            [
                "media_type": "other", "hdurl": .null, "basic_html": html,
                "title": "M104&#039;s <i>Tidal</i>\nCredit: X",
                "explanation":
                    "<b>Explanation:</b> 10<sup>11</sup> &amp;eacute; <a href=x>Rhea</a> , \u{1F468}\u{200D}\u{1F680}.<br>Tomorrow's picture: x",
                "credit": "<b> Image Credit &amp; <a href=y>Copyright</a>: </b> Se\u{E1}n<br>Music: NASA",
            ]),
    ]

    private static let legacy = [
        legacyAnswer("2026-11-20", ["copyright": ":\nAda Example\n(NASA)\n", "title": "A Ring\r\nCredit: X"]),
        legacyAnswer(
            "2026-11-20",
            ["media_type": "video", "url": "//www.youtube.com/embed/abc-DEF_123?rel=0&loop=1", "thumbnail_url": ""]),
        legacyAnswer(
            "2026-11-20",
            ["media_type": "other", "url": nil, "hdurl": nil, "explanation": "Dust digg_url = 'x'; <br> &amp;lt;"]),
        scienceAnswer("2026-11-20", ["service_version": "v1"]),
    ]

    private static let values: [String] = [
        "null", "true", "0", "-1e999", "12345678901234567890", "\"\"", "\" \"", "[]", "{}", "[[[[]]]]", "\"\\ud800\"",
        "\"\\u0000\"",
        "\"<\"", "\"&#\"", "\"https://\"", "\"//\"", "\"https://x.org/a.jpg?\"", "\"a.jpg\"", "\"data:x\"",
        "\"2026-11-20\"",
        "\"2026-02-30\"", "\"NASA Science\"", "\"video\"", "\"IFRAME\"", "\"<b>\"", "\"Image Credit:\"", "\"\\u202e\"",
        "\"https://x.org/nasa-logo@2x.png\"", "\"\u{1F3F4}\u{E0067}\"",
    ]

    /// Returns the answer with one to four random changes.
    private static func mutated(_ answer: Record, _ random: inout SeededRandom) -> [UInt8] {
        var record = answer
        for _ in 0...random.below(2) {
            let names = record.names
            guard !names.isEmpty else { break }
            let name = names[random.below(names.count)]
            switch random.below(4) {
            case 0: record.remove(name)
            case 1: record.set(name, .raw(Array(values[random.below(values.count)].utf8)))
            default: break
            }
        }
        var bytes = record.line
        for _ in 0...random.below(2) where !bytes.isEmpty {
            let at = random.below(bytes.count)
            let length = min(1 + random.below(20), bytes.count - at)
            switch random.below(10) {
            case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
            case 1: bytes.removeSubrange(at..<at + length)
            case 2: bytes.insert(contentsOf: bytes[at..<at + length], at: random.below(bytes.count))
            case 3: bytes.insert(contentsOf: random.bytes(length), at: at)
            case 4: bytes.removeSubrange(at...)
            case 5: bytes.insert(contentsOf: "<&\\\"{[;#/>:".utf8.shuffled(using: &random), at: at)
            case 6:
                bytes.insert(
                    contentsOf: ["<b>", "</a>", "&#x", "<br>", "\\u202e", "\u{FEFF}", "&amp;"][random.below(7)].utf8,
                    at: at)
            default: break
            }
        }
        return bytes
    }

    private static func check(_ bytes: [UInt8], _ service: Service, seed: Int) throws {
        let comment = Comment(rawValue: "seed \(seed) of \(service)")
        do {
            let picture = try ServiceAnswer.picture(in: bytes, of: day("2026-11-20"), from: service)
            let record = picture.record(fetchedAt: time("2026-11-20"))
            expectRecordRules(record, comment)
            #expect(try Record(parsing: record.line) == record, comment)
            // Like the record, the caption must not contain control characters, except line feeds.
            let caption = try #require(Caption(record), comment)
            #expect(
                !caption.markdown.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control },
                comment)
        } catch let failure as APODFailure {
            #expect(!failure.message.isEmpty && failure.exitCode != .software, comment)
        }
    }

    @Test(arguments: [Service.science, .api]) func mutatedAnswersGivePicturesOrFailures(_ service: Service) throws {
        let answers = service == .science ? Self.science : Self.legacy
        for seed in 0..<2000 {
            var random = SeededRandom(seed: UInt64(seed))
            try Self.check(Self.mutated(answers[seed % answers.count], &random), service, seed: seed)
        }
    }

    @Test(arguments: [Service.science, .api]) func mutatedListsGivePicturesOrFailures(_ service: Service) throws {
        let answers = service == .science ? Self.science : Self.legacy
        for seed in 0..<500 {
            var random = SeededRandom(seed: UInt64(seed))
            let items = (0..<3).map { _ in Self.mutated(answers[random.below(answers.count)], &random) }
            let bytes = [UInt8(ascii: "[")] + items.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
            let comment = Comment(rawValue: "seed \(seed) of a list of \(service)")
            do {
                let pictures = try ServiceAnswer.pictures(
                    in: bytes, from: day("2026-11-20"), through: day("2026-11-20"), of: service)
                for case .success(let picture) in pictures.values {
                    expectRecordRules(picture.record(fetchedAt: time("2026-11-20")), comment)
                }
            } catch let failure {
                #expect(!failure.message.isEmpty && failure.exitCode != .software, comment)
            }
        }
    }
}
