import HTTP
import Libc
import Options
import Support
import TestSupport
import Testing

@testable import Commands

/// Headers and passwords from options, files and the configuration.
struct CredentialsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Surroundings {
        let configuration: Configuration
        let environment: Environment
        let log: Log

        func context(_ words: [String]) throws -> ToolContext {
            try ToolContext(
                words,
                options: [.header, .headerFile, .bearerFile, .netrc, .netrcFile],
                environment: environment, configuration: configuration, log: log)
        }
    }

    private func context(
        _ configuration: String = "{}", _ variables: [String: String] = [:], log: Log = .silent
    ) throws -> Surroundings {
        Surroundings(
            configuration: try .load(
                option: folder.write("config.json", configuration), environment: Environment()),
            environment: Environment(variables), log: log)
    }

    private func headers(
        _ surroundings: Surroundings, _ plain: [String] = [], addressed: [String] = [], file: String? = nil,
        bearerFile: String? = nil, bearers: [String] = [], for arguments: [String]? = ["https://a.example/"]
    ) throws -> [String] {
        var words = (plain + addressed).map { "--header=\($0)" } + bearers.map { "--bearer-file=\($0)" }
        if let file { words.append("--header=@\(file)") }
        if let bearerFile { words.append("--bearer-file=\(bearerFile)") }
        return try surroundings.context(words).headers(for: arguments?.map { try WebURL($0) })
            .headers(for: WebURL("https://a.example/")).map { "\($0.name): \($0.value)" }
    }

    @Test func headersOfAllSourcesAreCombined() throws {
        let file = try folder.write("headers", "X-B: 2\nhttps://a.example X-D: 4\nhttps://b.example X-E: 5\n")
        let token = try folder.write("token", "t\n")
        let all = try headers(
            context(), ["X-A: 1"], addressed: ["https://a.example X-C: 3"], file: file, bearerFile: token)
        #expect(all == ["X-C: 3", "X-D: 4", "X-A: 1", "X-B: 2", "Authorization: Bearer t"])
    }

    @Test func bearerFileNameAfterAnOriginMayContainSpaces() throws {
        let token = try folder.write("my token", "t\n")
        let bearers = ["https://a.example \(token)", "https://b.example \(token)"]
        #expect(try headers(context(), bearers: bearers, for: nil) == ["Authorization: Bearer t"])
        for wrong in ["https://a.example", "https://a.example/x \(token)", ""] {
            let words = message { _ = try headers(context(), bearers: [wrong]) }
            #expect(words?.hasPrefix("64 --bearer-file takes a file, or an origin") == true, "\(words ?? "")")
        }
        #expect(message { _ = try headers(context(), bearers: ["a.example \(token)"]) }?.hasPrefix("78 ") == true)
        #expect(message { _ = try headers(context(), bearers: ["https://a.example none"]) }?.hasPrefix("78 ") == true)
    }

    /// Regression test: the first record of a stream determined which server received the secret.
    @Test func recordsDoNotDetermineWhichServerReceivesASecret() throws {
        let file = try folder.write("headers", "X-B: 2\nhttps://a.example X-D: 4\n")
        let token = try folder.write("token", "t\n")
        for words in [
            message { _ = try headers(context(), ["X-A: 1"], for: nil) },
            message { _ = try headers(context(), file: file, for: nil) },
            message { _ = try headers(context(), bearerFile: token, for: nil) },
        ] {
            #expect(
                words?.hasPrefix("64 ") == true && words?.contains("--header 'https://example.org Name: value'") == true
            )
        }
        #expect(try headers(context(), addressed: ["https://a.example X: 1"], for: nil) == ["X: 1"])
    }

    @Test func configuredHeaderWithoutAnOriginIsDroppedWithAWarning() throws {
        let file = try folder.write("headers", "X-B: 2\nhttps://a.example X-D: 4\n")
        let token = try folder.write("token", "t\n")
        let lines = Monitor<[String]>([])
        let log = Log(tool: "tool") { line in lines.update { $0.append(line) } }
        let context = try context("{\"header_file\":\"\(file)\",\"bearer_file\":\"\(token)\"}", log: log)
        #expect(try headers(context, for: nil) == ["X-D: 4"])
        #expect(lines.withLock { $0.count } == 1 && lines.withLock { $0[0] }.contains("header_file"))
        #expect(try headers(context).count == 3)
        #expect(lines.withLock { $0.count } == 1)
    }

    @Test func secretFileOpenToOthersCausesAWarning() throws {
        let lines = Monitor<[String]>([])
        let context = try context(log: Log(tool: "tool") { line in lines.update { $0.append(line) } })
        for (mode, count) in [(0o600, 0), (0o400, 0), (0o640, 1), (0o604, 2), (0o620, 3)] as [(mode_t, Int)] {
            let token = try folder.write("token-\(mode)", "t0ken\n")
            #expect(chmod(token, mode) == 0)
            _ = try headers(context, bearerFile: token)
            #expect(lines.withLock { $0.count } == count, "\(String(mode, radix: 8))")
        }
        #expect(lines.withLock { $0 }.allSatisfy { $0.contains("chmod 600") && !$0.contains("t0ken") })
    }

    @Test func secretsFromAPipeCauseNoWarning() throws {
        let lines = Monitor<[String]>([])
        let context = try context(log: Log(tool: "tool") { line in lines.update { $0.append(line) } })
        let path = folder.path("pipe")
        #expect(mkfifo(path, 0o644) == 0)
        let writer = try Thread.start { try? File.open(path, O_WRONLY).write(Array("t\n".utf8)) }
        #expect(try headers(context, bearerFile: path) == ["Authorization: Bearer t"])
        writer.join()
        #expect(lines.withLock { $0 } == [])
    }

    @Test func optionsOverrideConfiguredHeaderFiles() throws {
        let file = try folder.write("headers", "X-B: 2\n")
        let other = try folder.write("other", "X-B: 3\n")
        let token = try folder.write("token", "t\n")
        let context = try context("{\"header_file\":\"\(file)\",\"bearer_file\":\"\(token)\"}")
        #expect(try headers(context) == ["X-B: 2", "Authorization: Bearer t"])
        #expect(try headers(context, file: other) == ["X-B: 3", "Authorization: Bearer t"])
        #expect(try headers(context, ["Authorization: x"]) == ["Authorization: x", "X-B: 2"])
        #expect(message { _ = try headers(context, ["Authorization: x"], bearerFile: token) }?.hasPrefix("64 ") == true)
    }

    @Test func invalidHeaderIsReportedWithItsSource() throws {
        let context = try context()
        let bad = try folder.write("bad", "sesame\n")
        #expect(message { _ = try headers(context, ["sesame"]) }?.hasPrefix("64 --header ") == true)
        #expect(message { _ = try headers(context, ["https://a/b X: 1"]) }?.hasPrefix("64 --header ") == true)
        #expect(message { _ = try headers(context, file: bad) }?.hasPrefix("64 \(bad):1 ") == true)
        #expect(message { _ = try headers(context, file: "-") }?.hasPrefix("78 ") == true)
        #expect(message { _ = try headers(context, file: folder.path("none")) }?.hasPrefix("78 ") == true)
        #expect(message { _ = try headers(context, bearerFile: "-") }?.hasPrefix("78 ") == true)
    }

    @Test func passwordsComeFromTheNetrcOfTheHomeFolderOrTheNamedFile() throws {
        let url = try WebURL("https://a/")
        let home = try folder.makeFolder("home")
        try folder.write("home/.netrc", "machine a login u password p")
        let file = try folder.write("netrc", "machine a login v password q")
        func user(_ configuration: String = "{}", usesHome: Bool = false, file: String? = nil) throws -> String? {
            var environment = ["HOME": home]
            environment["APOD_TOOLS_NETRC_FILE"] = file
            if usesHome { environment["APOD_TOOLS_NETRC"] = "true" }
            let passwords = try context(configuration, environment).context([]).passwords()
            return passwords?.credentials(for: url)?.user
        }
        #expect(try user() == nil)
        #expect(try user(usesHome: true) == "u")
        #expect(try user(file: file) == "v")
        #expect(try user("{\"netrc_file\":\"\(file)\"}") == "v")
        #expect(try user("{\"netrc_file\":\"\(file)\"}", usesHome: true) == "u")
        #expect(try user(usesHome: true, file: file) == "u")
        #expect(message { _ = try user(file: folder.path("none")) }?.hasPrefix("78 ") == true)
        #expect(
            message { _ = try context("{}", ["APOD_TOOLS_NETRC": "true"]).context([]).passwords() }?.hasPrefix("78 ")
                == true)
    }
}
