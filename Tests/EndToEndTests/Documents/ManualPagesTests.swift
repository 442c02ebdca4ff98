import Support
import TestSupport
import Testing

/// The manual pages in `man/`, and the other files that `scripts/docs` generates.
struct ManualPagesTests {
    private static let folder = "\(Corpus.packageRoot)/man"
    private static let pages = [
        "apod-fetch.1", "img-cache.1", "img-downsample.1", "gif-cache.1", "apod-tools.json.5", "apod-tools-records.7",
        "apod-tools.7",
    ]

    private static func text(_ page: String) throws -> String { try TestFile.text("\(folder)/\(page)") }

    @Test func generatedDocumentsAreCurrent() throws {
        let bin = try #require(Tools.folder)
        let output = try ToolHome().run(
            "\(Corpus.packageRoot)/scripts/docs", ["--check"], environment: ["APOD_TOOLS_BIN": bin])
        #expect(output.status == 0, "run scripts/docs and review the changes:\n\(output.stderr)")
    }

    @Test func listOfPagesIsComplete() {
        let names = TemporaryFolder.names(in: Self.folder).filter { $0.split(separator: ".").last?.count == 1 }
        #expect(Set(names) == Set(Self.pages))
    }

    @Test(arguments: pages) func pageHasTheStandardSections(page: String) throws {
        let sections = try Self.text(page).split(separator: "\n").filter { $0.hasPrefix(".Sh ") }.map {
            $0.dropFirst(4)
        }
        var usual: [Substring] = ["NAME", "DESCRIPTION", "EXIT STATUS", "EXAMPLES", "SEE ALSO"]
        if page.hasSuffix(".1") { usual += ["SYNOPSIS", "OPTIONS"] }
        if !page.hasSuffix(".7") { usual += ["ENVIRONMENT", "FILES"] }
        #expect(Set(usual).subtracting(sections).isEmpty)
        #expect(Set(sections).count == sections.count, "a section occurs twice")
    }

    /// mandoc also looks for cross-referenced pages in the folder of the page, so the test creates them there.
    @Test(.enabled(if: Mandoc.isPresent), arguments: pages) func mandocFindsNoFault(page: String) throws {
        let home = try ToolHome()
        for name in Self.pages { try home.write(name, try Self.text(name)) }
        for name in ["cron.8", "curl.1", "gifsicle.1", "jq.1", "sysexits.3"] { try home.write(name, "") }
        let output = try home.run("/usr/bin/env", ["mandoc", "-Tlint", page])
        #expect(output.stdout == "" && output.status == 0, "\(output.stdout)")
    }

    @Test(.enabled(if: Mandoc.isPresent), arguments: pages) func mandocFormatsThePage(page: String) throws {
        let output = try ToolHome().run("/usr/bin/env", ["mandoc", "-Tutf8", "\(Self.folder)/\(page)"]).expect(0)
        #expect(output.stdout.split(separator: "\n").count > 60)
    }

    /// Each exit status in a tool's help must be explained in its manual page.
    @Test(arguments: ["apod-fetch", "img-cache", "img-downsample", "gif-cache"])
    func everyExitStatusIsExplained(tool: String) throws {
        let help = try run(tool, ["--help"]).expect(0).stdout
        let words = try #require(help.split(separator: "EXIT STATUS").last)
        let numbers = words.split { !$0.isNumber }.compactMap { Int($0) }
        let page = try Self.text("\(tool).1")
        let section = try #require(page.split(separator: ".Sh EXIT STATUS\n").last)
        let items = section.split(separator: ".Sh")[0].split(separator: "\n").filter { $0.hasPrefix(".It ") }
        let explained = Set(items.flatMap { $0.split { !$0.isNumber }.compactMap { Int($0) } })
        #expect(Set(numbers).subtracting(explained).isEmpty)
    }
}

/// The program that formats and checks manual pages.
enum Mandoc {
    /// Whether mandoc is installed. If not, prints once that its tests are skipped.
    static let isPresent: Bool = {
        if (try? ToolHome().shell("command -v mandoc"))?.status == 0 { return true }
        Log.standardError(
            "\n*** NO MANDOC: the checks of the manual pages are SKIPPED.\n"
                + "*** Install it (scripts/setup --with-tests) to run them.\n\n")
        return false
    }()
}
