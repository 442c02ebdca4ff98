import Support
import TestSupport
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// The manual page must define counters and events in the words of the source code.
struct ManualTests {
    /// The text of each `.It Cm` item, with its lines joined.
    private func items() throws -> [String: String] {
        let page = try TestFile.text("\(Corpus.packageRoot)/man/img-cache.1")
        var items: [String: String] = [:]
        for item in page.split(separator: "\n.It Cm ").dropFirst() {
            let lines = item.split(separator: "\n")
            // The text ends at the next macro.
            let words = lines.dropFirst().prefix { !$0.hasPrefix(".") && !$0.hasPrefix("Fields:") }
            items[String(lines[0])] = words.joined(separator: " ")
        }
        return items
    }

    @Test func manualDefinesEveryCounter() throws {
        let items = try items()
        for counter in Counter.allCases {
            #expect(items[counter.rawValue] == counter.meaning, "\(counter)")
        }
    }

    @Test func manualDefinesEveryEvent() throws {
        let items = try items()
        for kind in MetricEvent.Kind.allCases { #expect(items[kind.rawValue] == kind.meaning, "\(kind)") }
    }
}
