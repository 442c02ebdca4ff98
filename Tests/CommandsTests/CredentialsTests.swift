import HTTP
import Support
import TestSupport
import Testing

@testable import Commands

/// Headers and passwords of options, files and the configuration.
struct CredentialsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func context(_ configuration: String = "{}", _ variables: [String: String] = [:]) throws -> ToolContext {
        ToolContext(
            tool: "tool", environment: Environment(variables),
            configuration: try .load(option: folder.write("config.json", configuration), environment: Environment()),
            log: .silent)
    }

    private func headers(
        _ context: ToolContext, _ plain: [String] = [], addressed: [String] = [], file: String? = nil,
        bearerFile: String? = nil
    ) throws -> [String] {
        try context.headers(plain, addressed: addressed, file: file, bearerFile: bearerFile)
            .headers(for: WebURL("https://a.example/")).map { "\($0.name): \($0.value)" }
    }

    @Test func allWaysAreTakenTogether() throws {
        let file = try folder.write("headers", "X-B: 2\nhttps://a.example X-D: 4\nhttps://b.example X-E: 5\n")
        let token = try folder.write("token", "t\n")
        let all = try headers(
            context(), ["X-A: 1"], addressed: ["https://a.example X-C: 3"], file: file, bearerFile: token)
        #expect(all == ["X-A: 1", "X-B: 2", "Authorization: Bearer t", "X-C: 3", "X-D: 4"])
    }

    @Test func configurationNamesFilesAndOptionsBeatThem() throws {
        let file = try folder.write("headers", "X-B: 2\n")
        let other = try folder.write("other", "X-B: 3\n")
        let token = try folder.write("token", "t\n")
        let context = try context("{\"header_file\":\"\(file)\",\"bearer_file\":\"\(token)\"}")
        #expect(try headers(context) == ["X-B: 2", "Authorization: Bearer t"])
        #expect(try headers(context, file: other) == ["X-B: 3", "Authorization: Bearer t"])
        #expect(try headers(context, ["Authorization: x"]) == ["Authorization: x", "X-B: 2"])
        #expect(message { _ = try headers(context, ["Authorization: x"], bearerFile: token) }?.hasPrefix("64 ") == true)
    }

    @Test func badOnesAreRefusedWithTheirPlace() throws {
        let context = try context()
        let bad = try folder.write("bad", "sesame\n")
        #expect(message { _ = try headers(context, ["sesame"]) }?.hasPrefix("64 --header ") == true)
        #expect(message { _ = try headers(context, ["https://a X: 1"]) }?.contains("--header-for") == true)
        #expect(message { _ = try headers(context, addressed: ["X: 1"]) }?.hasPrefix("64 --header-for ") == true)
        #expect(message { _ = try headers(context, file: bad) }?.hasPrefix("64 \(bad):1 ") == true)
        #expect(message { _ = try headers(context, file: "-") }?.hasPrefix("78 ") == true)
        #expect(message { _ = try headers(context, file: folder.path("none")) }?.hasPrefix("78 ") == true)
        #expect(message { _ = try headers(context, bearerFile: "-") }?.hasPrefix("78 ") == true)
    }

    @Test func passwordsComeFromTheHomeFolderOrAFile() throws {
        let url = try WebURL("http://a/")
        let home = try folder.makeFolder("home")
        try folder.write("home/.netrc", "machine a login u password p")
        let file = try folder.write("netrc", "machine a login v password q")
        func user(_ configuration: String = "{}", usesHome: Bool = false, file: String? = nil) throws -> String? {
            let passwords = try context(configuration, ["HOME": home]).passwords(usesHome: usesHome, file: file)
            return passwords?.credentials(for: url)?.user
        }
        #expect(try user() == nil)
        #expect(try user(usesHome: true) == "u")
        #expect(try user(file: file) == "v")
        #expect(try user("{\"netrc_file\":\"\(file)\"}") == "v")
        #expect(try user("{\"netrc_file\":\"\(file)\"}", usesHome: true) == "u")
        #expect(message { _ = try user(usesHome: true, file: file) }?.hasPrefix("64 ") == true)
        #expect(message { _ = try user(file: folder.path("none")) }?.hasPrefix("78 ") == true)
        #expect(message { _ = try context().passwords(usesHome: true, file: nil) }?.hasPrefix("78 ") == true)
    }
}
