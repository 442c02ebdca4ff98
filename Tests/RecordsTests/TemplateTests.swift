import Support
import Testing

@testable import Records

/// Names of files made from records.
@Suite struct TemplateTests {
    private static let record = #"""
        {"id":7,"date":"2024-02-03","net":"2024-12-31T23:05:09Z","title":"Über M31/Ω","gif":{"resolution":180},
        "empty":"","none":null,"dots":"../../etc/passwd","dash":"-rf","dot":".","control":"a\u0000b\nc\u0085",
        "width":99,"stem":"field","long":"\u00e4\u00e4\u00e4","flag":"e\u0301e\u0301"}
        """#.replacing("\n", with: "")
    private static let values = ["stem": "m31", "ext": "jpg", "variant": "pager", "sha256": "0123456789abcdef"]

    private func path(_ template: String, _ values: [String: String] = values) throws -> String {
        try NameTemplate(template).path(for: Record(parsing: Array(Self.record.utf8)), values)
    }

    @Test(arguments: [
        ("plain", "plain"),
        ("{stem}-{variant}.{ext}", "m31-pager.jpg"),
        ("{stem}{stem}", "m31m31"),
        ("{id}", "7"),
        ("{gif.resolution}", "180"),
        ("{date}", "2024-02-03"),
        // Lengths in bytes of UTF-8; values are cut between characters.
        ("{sha256:8}", "01234567"),
        ("{long:1}", "_"),
        ("{long:3}", "ä"),
        ("{long:4}", "ää"),
        ("{long:400}", "äää"),
        ("{flag:4}", "e\u{301}"),
        // Dates.
        ("{date:%Y/%m}/{date:%d}.{ext}", "2024/02/03.jpg"),
        ("{net:%Y%m%dT%H%M%S}", "20241231T230509"),
        ("{net:%H h, 100 %%}", "23 h, 100 %"),
        // Defaults for missing values.
        ("{credit|unknown}", "unknown"),
        ("{credit|}x", "x"),
        ("{credit:5|unknown}", "unknown"),
        ("{empty|a}{none|b}", "ab"),
        ("{dot:%Y|undated}", "undated"),
        ("{credit|by/nobody}", "by/nobody"),
        // Built-in names take precedence over fields, even if the built-in name has no value.
        ("{stem}", "m31"),
        ("{width|none}", "none"),
        // Braces.
        ("{{stem}}", "{stem}"),
        ("{{{stem}}}", "{m31}"),
        ("a}b", "a}b"),
        // Characters that a file name cannot contain, and names that would lead to another folder.
        ("{title}", "Über M31_Ω"),
        ("{dots}", "_._.._etc_passwd"),
        ("x{dots}", "x.._.._etc_passwd"),
        ("{dash}", "_rf"),
        ("{dot}/{dot}{dot}/x", "_/_./x"),
        ("a/.{dot}/b", "a/__/b"),
        ("{credit|}/{credit|.}/{credit|..}", "_/_/__"),
        ("{control}", "a_b_c_"),
        (".{stem}", ".m31"),
    ])
    func templateYieldsAPath(_ template: String, _ expected: String) throws {
        #expect(try path(template) == expected)
    }

    @Test(arguments: [
        ("{stem", TemplateFault.unclosed), ("{}", .noField("")), ("{|x}", .noField("|x")), ("{a..b}", .noField("a..b")),
        ("{title:0}", .badForm("0")), ("{title:-3}", .badForm("-3")), ("{title:x}", .badForm("x")),
        ("{date:%q}", .badForm("%q")), ("{date:%}", .badForm("%")), ("{date:%%}", .badForm("%%")), ("", .noName),
        ("/{stem}", .leadsElsewhere), ("{stem}/", .leadsElsewhere), ("a//b", .leadsElsewhere),
        ("../{stem}", .leadsElsewhere), ("./{stem}", .leadsElsewhere), ("a/../{stem}", .leadsElsewhere),
    ])
    func invalidTemplateIsRefused(_ text: String, _ fault: TemplateFault) {
        #expect(throws: fault) { _ = try NameTemplate(text) }
        #expect(fault.exitCode == .usage)
    }

    @Test func missingValueIsReported() throws {
        #expect(throws: TemplateFailure.missing(field: "credit")) { _ = try path("{credit}") }
        #expect(throws: TemplateFailure.missing(field: "width")) { _ = try path("{width}") }
        #expect(throws: TemplateFailure.noDate(field: "title", value: "Über M31/Ω")) { _ = try path("{title:%Y}") }
        // A day has no hour.
        #expect(throws: TemplateFailure.noDate(field: "date", value: "2024-02-03")) { _ = try path("{date:%H}") }
        #expect(TemplateFailure.missing(field: "stme").message.contains("did you mean stem?"))
        #expect(TemplateFailure.missing(field: "x").exitCode == .data)
    }

    @Test(arguments: [
        "2024-02-30", "2024-02-03x", "2024-02-03T4", "2024-02-03T24:00:00Z", "2024-02-03T04:60", "2024-2-3", "",
    ])
    func invalidTimeIsTreatedAsMissing(_ text: String) throws {
        var record = Record()
        record.set("time", .string(text))
        #expect(try NameTemplate("{time:%H|none}").path(for: record, [:]) == "none")
    }

    @Test(arguments: [
        ("a\u{202E}gpj.exe", "agpj.exe"), ("\u{202E}.hidden", "_hidden"),
        ("a\u{200B}b\u{2060}c\u{FEFF}d\u{AD}e", "abcde"),
        ("a\u{2028}b\u{E0041}c\u{FFF9}d\u{2066}e\u{61C}f", "abcdef"), ("pay\u{200D}pal\u{200C}", "paypal"),
        ("می\u{200C}خواهم", "می\u{200C}خواهم"), ("👩\u{200D}🚀", "👩\u{200D}🚀"), ("👩\u{200D}\u{200D}x", "👩x"),
        ("ä\u{200D}/ü", "ä_ü"), ("\u{202E}\u{200B}", "_"), ("a\u{7}b", "a_b"), ("é\u{200D}\u{202E}ü", "éü"),
    ])
    func invisibleCharactersAreRemoved(_ title: String, _ name: String) throws {
        var record = Record()
        record.set("title", .string(title))
        let made = try NameTemplate("{title}").path(for: record, [:])
        #expect(Array(made.unicodeScalars) == Array(name.unicodeScalars))
        #expect(try path("{stem}", ["stem": title]) == made)
    }

    @Test func stemKeepsBytesThatAreNotUTF8() throws {
        let stem = String(pathBytes: [0x61, 0xFE])
        #expect(try path("{stem}.{ext}", ["stem": stem, "ext": "png"]).pathBytes == [0x61, 0xFE] + Array(".png".utf8))
        #expect(try path("{stem:1}", ["stem": stem]).pathBytes == [0x61])
        #expect(try path("{stem:2}", ["stem": stem]).pathBytes == [0x61, 0xFE])
    }

    @Test func textNeverBecomesBytesThatAreNotUTF8() throws {
        var record = Record()
        record.set("title", .string("\u{10FEFF}"))
        #expect(try NameTemplate("{title}").path(for: record, [:]).pathBytes == Array("\u{10FEFF}".utf8))
    }

    @Test func longNameKeepsItsExtension() throws {
        let long = String(repeating: "ä", count: 200)
        let name = try path("{stem}/{stem}.{ext}", ["stem": long, "ext": "jpg"])
        let parts = name.split(separator: "/")
        #expect(parts[0].utf8.count == 254 && parts[0] == long.prefix(127))
        #expect(parts[1].utf8.count == 254 && parts[1] == long.prefix(125) + ".jpg")
        // A text of 400 bytes is not treated as an extension, so it is cut.
        #expect(try path("{stem}.{ext}", ["stem": "a", "ext": long]).utf8.count == 254)
        let foreign = String(pathBytes: [UInt8](repeating: 0xFF, count: 300))
        #expect(try path("{stem}.{ext}", ["stem": foreign, "ext": "gif"]).pathBytes.count == 255)
    }

    @Test func defaultNamesEqualTheirParsedTemplates() throws {
        #expect(try NameTemplate("{stem}.{ext}") == .original)
        #expect(try NameTemplate("{stem}-{variant}.{ext}") == .variant)
        #expect(NameTemplate.variant.has("variant") && !NameTemplate.original.has("variant"))
    }
}
