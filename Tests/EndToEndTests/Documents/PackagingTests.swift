import Records
import Support
import TestSupport
import Testing

/// What packages are made from, as far as it can be checked without making one: `scripts/package` has checks of its own.
struct PackagingTests {
    private static let folder = "\(Corpus.packageRoot)/packaging"

    @Test func theFormulaDependsOnEveryLibraryOfThePackage() throws {
        let formula = try TestFile.text("\(Self.folder)/homebrew/apod-tools.rb")
        let names = try TestFile.text("\(Corpus.packageRoot)/Package.swift").split(separator: "brew: \"").dropFirst()
            .map { $0.prefix { $0 != "\"" } }
        #expect(names.count > 8)
        for name in names { #expect(formula.contains("depends_on \"\(name)\"\n"), "\(name)") }
        let ends = formula.split(separator: "\n").filter { $0.split(separator: " ").first == "end" }.count
        #expect(ends == 3)
    }

    @Test func theFormulaIsRuby() throws {
        guard TestFile.exists("/usr/bin/ruby") else { return }
        try run("/usr/bin/ruby", ["-c", "\(Self.folder)/homebrew/apod-tools.rb"]).expect(0)
    }

    @Test func theContainerfileHasInstructionsThatAreKnown() throws {
        let text = try TestFile.text("\(Self.folder)/Containerfile").replacing(text: "\\\n", with: " ")
        var stages: [String] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ").map(String.init)
            switch words[0] {
            case "FROM":
                #expect(words.count == 2 || words.count == 4 && words[2] == "AS", "\(line)")
                stages.append(words.last!)
            case "COPY":
                #expect(words.count >= 3, "\(line)")
                if words[1].hasPrefix("--from=") { #expect(stages.contains(String(words[1].dropFirst(7)))) }
            case "RUN", "ENV", "USER", "WORKDIR", "VOLUME": #expect(words.count >= 2, "\(line)")
            case "CMD": #expect(Record.isList(line.dropFirst(4)), "\(line)")
            default: Issue.record("\(line)")
            }
        }
        #expect(stages.count == 2)
    }

    @Test func theListOfComponentsIsJSON() throws {
        let home = try ToolHome()
        let program = try home.write("program", "not really")
        let components = try home.write(
            "components",
            """
            linked\tswift\t6.2\tApache-2.0 WITH Swift-exception\t-\t/nowhere
            needed\tzlib\t1:1.2.13\tZlib\tzlib1g\t/nowhere
            loaded\tcurl\t7.88\tcurl\tlibcurl4\t/nowhere

            """)
        let output = try home.run(
            "\(Self.folder)/sbom", [program, "1.2.3", components], environment: ["SOURCE_DATE_EPOCH": "0"]
        ).expect(0)
        let document = try Record(parsing: output.stdoutBytes)
        #expect(document.string("spdxVersion") == "SPDX-2.3")
        #expect(document.string("creationInfo.created") == "1970-01-01T00:00:00Z")
        for text in [
            "\"STATIC_LINK\"", "\"DYNAMIC_LINK\"", "OPTIONAL_DEPENDENCY_OF", "pkg:deb/debian/zlib1g@1%3A1.2.13",
        ] {
            #expect(output.stdout.contains(text), "\(text)")
        }
    }

    @Test(arguments: [("machine vax", "are for vax"), ("glibc 99.1", "99.1 or newer")])
    func theArchiveChecksTheSystemBeforeItIsInstalled(_ requirement: String, _ message: String) throws {
        let home = try ToolHome()
        _ = try home.shell("cp '\(Self.folder)/install' install")
        try home.write("REQUIREMENTS", "\(requirement)\n")
        let output = try home.shell("./install --check").expect(1)
        #expect(output.stderr.contains(message))
        try home.write("REQUIREMENTS", "glibc 2.0\n")
        try home.shell("./install --check").expect(0)
    }
}

extension Record {
    /// Whether a text is a list of JSON.
    fileprivate static func isList(_ text: Substring) -> Bool {
        (try? Record(parsing: Array("{\"list\":\(text)}".utf8))) != nil && text.hasPrefix("[")
    }
}
