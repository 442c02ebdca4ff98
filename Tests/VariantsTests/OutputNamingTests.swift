import Images
import Records
import Support
import Testing

@testable import Variants

/// Names in an output folder.
struct OutputNamingTests {
    private func path(
        _ template: String, folder: String = "out", stem: String = "m31", variant: Variant = .pager,
        format: OutputFormat = .jpeg, record: String = "{}"
    ) throws -> String {
        try OutputNaming(folder: folder, template: template)
            .path(stem: stem, variant: variant, format: format, record: Record(parsing: Array(record.utf8)))
    }

    @Test func theStandardTemplateHasStemVariantAndEnding() throws {
        #expect(try path(OutputNaming.standardTemplate) == "out/m31-pager.jpg")
        #expect(try path(OutputNaming.standardTemplate, folder: "out/", format: .webp) == "out/m31-pager.webp")
    }

    @Test func aStemKeepsItsBytes() throws {
        let name = [0x61, 0xFE] + Array(".b".utf8)
        let stem = OutputNaming.stem(String(pathBytes: [0x2F, 0xFF, 0x2F] + name + Array(".jpg".utf8)))
        #expect(stem.pathBytes == name)
        let made = try path("{stem}-{variant}.{ext}", stem: stem)
        #expect(made.pathBytes == Array("out/".utf8) + name + Array("-pager.jpg".utf8))
        // A name may begin with an accent, which no slash and no dot takes as its own.
        #expect(Array(OutputNaming.stem("/a/\u{301}b.\u{301}").utf8) == Array("\u{301}b".utf8))
    }

    @Test func everyFieldIsFilledIn() throws {
        let custom = Variant.custom(width: 640, height: nil)
        #expect(try path("{stem}_{width}x{height}.{ext}", variant: custom, format: .png) == "out/m31_640x.png")
        #expect(try path("{variant}/".replacing("/", with: "")) == "out/pager")
        #expect(try path("{date}.{ext}", record: "{\"date\":\"2024-02-03\"}") == "out/2024-02-03.jpg")
        #expect(try path("plain") == "out/plain")
        #expect(try path("{stem}{stem}") == "out/m31m31")
        #expect(try path("}{stem}}") == "out/}m31}")
    }

    @Test(arguments: ["", "a/b", "../{stem}", "/{stem}", "{stem", "{stme}", "{}", "{Stem}"])
    func aTemplateThatCannotBeIsRefused(_ template: String) {
        do {
            _ = try OutputNaming(folder: "out", template: template)
            Issue.record("taken: \(template)")
        } catch {
            #expect(failure(of: error).exitCode == .usage && failure(of: error).message.hasPrefix("--name-template"))
        }
    }

    @Test(arguments: [
        "{}", "{\"date\":7}", "{\"date\":\"2024-02-30\"}", "{\"date\":\"../../etc\"}", "{\"date\":\"2024-02-03/x\"}",
    ])
    func onlyADayOfTheCalendarGetsIntoAName(_ record: String) {
        #expect(throws: OutputFailure.noDate) { _ = try path("{date}.{ext}", record: record) }
    }

    @Test func aNameIsGivenOutOnce() throws {
        let naming = try OutputNaming(folder: "out")
        _ = try naming.path(stem: "a", variant: .pager, format: .jpeg, record: Record())
        _ = try naming.path(stem: "a", variant: .overlay, format: .jpeg, record: Record())
        _ = try naming.path(stem: "a", variant: .pager, format: .png, record: Record())
        #expect(throws: OutputFailure.taken(path: "out/a-pager.jpg")) {
            _ = try naming.path(stem: "a", variant: .pager, format: .jpeg, record: Record())
        }
        #expect(OutputFailure.taken(path: "x").exitCode == .cannotCreate && OutputFailure.noDate.exitCode == .data)
    }
}
