import Support
import TestSupport
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// The manual defines counters in the code's words.
struct ManualTests {
    /// Each item's text, blanks and line ends folded.
    private func items() throws -> [String: String] {
        let page = try TestFile.text("\(Corpus.packageRoot)/man/img-cache.1")
        var items: [String: String] = [:]
        for item in page.split(separator: "\n.It Cm ").dropFirst() {
            let lines = item.split(separator: "\n")
            // Until the next request of the page.
            let words = lines.dropFirst().prefix { !$0.hasPrefix(".") && !$0.hasPrefix("Fields:") }
            items[String(lines[0])] = words.joined(separator: " ")
        }
        return items
    }

    @Test func everyCounterIsDefined() throws {
        let items = try items()
        for counter in Counter.allCases {
            #expect(items[counter.rawValue] == counter.meaning, "\(counter)")
        }
    }

    @Test func everyEventIsDefined() throws {
        let items = try items()
        for kind in MetricEvent.Kind.allCases { #expect(items[kind.rawValue] == kind.meaning, "\(kind)") }
    }
}
