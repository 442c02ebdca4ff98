import Records
import Support
import TestSupport
import Testing

/// Checks the inputs of packages without building a package; `scripts/package` checks the packages.
struct PackagingTests {
    private static let folder = "\(Corpus.packageRoot)/packaging"

    @Test func formulaDependsOnEveryLibrary() throws {
        let formula = try TestFile.text("\(Self.folder)/homebrew/apod-tools.rb")
        let names = try TestFile.text("\(Corpus.packageRoot)/Package.swift").split(separator: "brew: \"").dropFirst()
            .map { $0.prefix { $0 != "\"" } }
        #expect(names.count > 8)
        for name in names { #expect(formula.contains("depends_on \"\(name)\"\n"), "\(name)") }
        let ends = formula.split(separator: "\n").filter { $0.split(separator: " ").first == "end" }.count
        #expect(ends == 3)
    }

    @Test func formulaIsValidRuby() throws {
        guard TestFile.exists("/usr/bin/ruby") else { return }
        try run("/usr/bin/ruby", ["-c", "\(Self.folder)/homebrew/apod-tools.rb"]).expect(0)
    }

    @Test func containerfileHasOnlyKnownInstructions() throws {
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

    /// Clones the last commit, with the current version of the scripts; nil without git.
    private func clone(_ home: ToolHome) throws -> String? {
        guard TestFile.exists("\(Corpus.packageRoot)/.git"), TestFile.exists("/usr/bin/git") else { return nil }
        let script = """
            git -c safe.directory='*' clone -q --no-hardlinks --depth 1 'file://\(Corpus.packageRoot)' clone
            cp '\(Corpus.packageRoot)/scripts/package' clone/scripts/package
            cd clone && git -c user.name=Ada -c user.email=ada@example.org commit -q --allow-empty -am 'Update scripts'
            """
        try home.shell(script).expect(0)
        return home.path("clone")
    }

    /// Regression test: `chmod 644 DIR/*` removed the execute permission of every folder in DIR.
    @Test func packagingKeepsOtherFilesOfTheOutputFolder() throws {
        let home = try ToolHome()
        guard let clone = try clone(home) else { return }
        try home.shell("mkdir -m 755 out out/folder; touch out/run; chmod 700 out/run; echo old > out/old.deb").expect(
            0)
        try home.shell("(cd out && sha256sum old.deb > SHA256SUMS; touch SHA256SUMS.asc)").expect(0)
        try home.shell("'\(clone)/scripts/package' --output out brew").expect(0)
        let modes = try home.shell("stat -c '%a %n' out/folder out/run out/SHA256SUMS out/apod-tools.rb").expect(0)
        #expect(modes.lines == ["755 out/folder", "700 out/run", "644 out/SHA256SUMS", "644 out/apod-tools.rb"])
        let sums = try home.shell("cd out && sha256sum -c SHA256SUMS | sed 's/-[0-9].*tar/-tar/' | sort").expect(0)
        #expect(sums.lines == ["apod-tools-tar.gz: OK", "apod-tools.rb: OK", "old.deb: OK"])
        #expect(!TestFile.exists(home.path("out/SHA256SUMS.asc")))
    }

    @Test(arguments: [("deb", "echo >> README.md"), ("tar", "touch Sources/new.swift"), ("brew tar", "rm LICENSE")])
    func uncommittedChangesAreRefused(_ kind: String, _ change: String) throws {
        let home = try ToolHome()
        guard let clone = try clone(home) else { return }
        let output = try home.shell("cd clone && \(change) && scripts/package \(kind)").expect(1)
        #expect(output.stderr.contains("not committed") && output.stdout.isEmpty, "\(output)")
        #expect(!TestFile.exists("\(clone)/.build"))
    }

    @Test func checksumsAreSignedWithAConfiguredKey() throws {
        let home = try ToolHome()
        guard let clone = try clone(home), TestFile.exists("/usr/bin/gpg") else { return }
        // gpg-agent creates a Unix domain socket in this folder, and the path of a socket must be short.
        let keys = "/tmp/apod-tools-gpg-\(UInt32.random(in: 0...(.max)))"
        defer { _ = try? home.shell("GNUPGHOME='\(keys)' gpgconf --kill all; rm -rf '\(keys)'") }
        let environment: [String: String?] = ["GNUPGHOME": keys, "APOD_TOOLS_SIGNING_KEY": "ada@example.org"]
        func package() throws -> ToolOutput {
            try home.shell("'\(clone)/scripts/package' --output out brew", environment: environment)
        }
        try home.shell("mkdir -m 700 '\(keys)'").expect(0)
        let refused = try package().expect(1)
        #expect(refused.stderr.contains("no secret key ada@example.org"), "\(refused)")
        let make = "gpg --batch --quiet --passphrase '' --quick-generate-key ada@example.org ed25519 sign never"
        try home.shell(make, environment: environment).expect(0)
        for _ in 1...2 { try package().expect(0) }
        try home.shell("gpg --verify out/SHA256SUMS.asc out/SHA256SUMS", environment: environment).expect(0)
        try home.shell("echo >> out/SHA256SUMS").expect(0)
        try home.shell("gpg --verify out/SHA256SUMS.asc out/SHA256SUMS", environment: environment).expect(1)
    }

    @Test func imagesAndPythonPackagesArePinned() throws {
        let images = try TestFile.text("\(Self.folder)/Containerfile").split(separator: "\n").filter {
            $0.hasPrefix("FROM ")
        }
        for image in images {
            let version = image.split(separator: " ")[1].split(separator: ":").last ?? ""
            #expect(version.contains { $0 == "." } && version.first?.isNumber == true, "\(image)")
        }
        let spark = "\(Corpus.packageRoot)/examples/spark"
        for name in ["requirements.txt", "build-requirements.txt"] {
            for line in try TestFile.text("\(spark)/\(name)").split(separator: "\n") where !line.hasPrefix("#") {
                let parts = line.split(separator: " ")
                let digest = parts.count == 2 ? parts[1].split(separator: ":").last ?? "" : ""
                #expect(parts[0].contains("==") && digest.count == 64, "\(line)")
            }
        }
        let setup = try TestFile.text("\(Corpus.packageRoot)/scripts/setup")
        #expect(setup.contains("pip install --quiet --require-hashes") && !setup.contains("pyspark>="))
    }

    @Test func listOfComponentsIsValidJSON() throws {
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
    func archiveChecksTheSystemBeforeInstallation(_ requirement: String, _ message: String) throws {
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
    /// Whether the text is a JSON array.
    fileprivate static func isList(_ text: Substring) -> Bool {
        (try? Record(parsing: Array("{\"list\":\(text)}".utf8))) != nil && text.hasPrefix("[")
    }
}
