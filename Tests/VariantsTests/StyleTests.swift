import Images
import Records
import Support
import TestSupport
import Testing

@testable import Variants

struct StyleTests {
    private func read(_ json: String) throws -> [Style] {
        try Style.all(Record(parsing: Array(json.utf8)), path: "config.json")
    }

    @Test func configuredStyleIsAddedToTheBuiltInStyles() throws {
        let styles = try read(
            #"""
            {"hero": {"width": 600, "aspect_ratio": "2:1", "corner_radius": 24, "content_mode": "fit",
                      "gravity": "attention", "gradient": "none"}}
            """#)
        #expect(styles.dropLast() == Style.builtIn[...])
        #expect(
            styles.last
                == Style(
                    name: "hero", width: 600, aspectRatio: 2, cornerRadius: 24, contentMode: .fit, gravity: .attention,
                    gradient: Gradient.none, origin: .file("config.json")))
    }

    @Test func configurationCanChangeSingleFieldsOfABuiltInStyle() throws {
        let card = try #require(try read(#"{"launch-card": {"height": 250}}"#).first { $0.name == "launch-card" })
        #expect(card.width == 400 && card.height == 250 && card.gradient == .standard)
        #expect(card.origin == .file("config.json"))
    }

    @Test(arguments: [
        (#"{"hero": {"widht": 5}}"#, #"unknown field "widht"; did you mean width?"#),
        (#"{"hero": {"width": "wide"}}"#, #""width" must be points"#),
        (#"{"hero": {"width": 0}}"#, #""width" must be points"#),
        (#"{"hero": {"width": 5, "gravity": "up"}}"#, #""gravity" must be one of center"#),
        (#"{"hero": {"width": 5, "aspect_ratio": "1:0"}}"#, #""aspect_ratio" must be a ratio"#),
        (#"{"hero": {"corner_radius": 5}}"#, "has no size"),
        (#"{"hero": 5}"#, "must be an object"),
        (#"{"pager": {"width": 5}}"#, "is the name of a variant"),
        (#"{"../x": {"width": 5}}"#, "invalid style name"),
        (#"{"Hero": {"width": 5}}"#, "invalid style name"),
    ])
    func errorNamesFileStyleAndField(json: String, part: String) {
        let said = message { _ = try read(json) }
        #expect(said?.hasPrefix("78 config.json: ") == true, "\(said ?? "taken")")
        #expect(said?.contains(part) == true, "\(said ?? "taken")")
    }

    @Test(arguments: [("16:9", 16.0 / 9), ("3/2", 1.5), ("1.5", 1.5), ("1", 1)])
    func aspectRatioMayBeARatioOrANumber(text: String, ratio: Double) {
        #expect(AspectRatio.read(text) == ratio)
    }

    @Test(arguments: ["", ":", "1:", "a:b", "0:1", "1:0", "-1:2", "1:2:3", "inf", "nan", "1000:1"])
    func invalidAspectRatioIsRefused(text: String) { #expect(AspectRatio.read(text) == nil) }

    @Test func recordStatesTheOriginOfAStyle() throws {
        let record = try #require(Style.builtIn.first).record
        #expect(record.string("name") == "launch-card" && record.string("from") == "built-in")
        #expect(record.integer("width") == 400 && record.integer("corner_radius") == 16)
    }
}
