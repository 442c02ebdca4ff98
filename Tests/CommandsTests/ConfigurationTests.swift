import Options
import Records
import Support
import TestSupport
import Testing

@testable import Commands

/// The sources of settings and their precedence, the configuration file, and files with keys.
struct ConfigurationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func load(_ text: String) throws -> Configuration {
        try .load(option: folder.write("config.json", text), environment: Environment())
    }

    private static let number = Option.number(
        "max-pixels", in: 0...9, field: "max_pixels", summary: "A number.")
    private static let size = Option<Int>(
        "size", form: .value("SIZE"), expected: "a number", group: .own, variable: "TEST_NUMBER", field: "max_bytes",
        summary: "A size."
    ) { Int($0) }
    private static let keyFile = Option.path("key-file", summary: "The key's file.")
    private static let key = Option<String>(
        "key", form: .none, expected: "a key", group: .secrets, variable: "TEST_KEY", summary: "The key."
    ) { $0 }

    private func context(
        _ variables: [String: String] = [:], _ configuration: Configuration = .empty, _ words: String...
    ) throws -> ToolContext {
        try ToolContext(
            words, options: [Self.number, Self.size, Self.keyFile], environment: Environment(variables),
            configuration: configuration)
    }

    // MARK: Precedence

    @Test func optionOverridesEnvironmentWhichOverridesFile() throws {
        let file = try load("{\"max_bytes\": 3}")
        #expect(try context(["TEST_NUMBER": "2"], file, "--size", "1").value(Self.size) == 1)
        #expect(try context(["TEST_NUMBER": "2"], file).value(Self.size) == 2)
        #expect(try context([:], file).value(Self.size) == 3)
        #expect(try context().value(Self.size) == nil)
        #expect(try context(["TEST_NUMBER": "2"], file, "--size=1").text(Self.size)?.source == .option)
        #expect(try context(["TEST_NUMBER": "2"], file).text(Self.size)?.source == .environment)
        #expect(try context([:], file).text(Self.size)?.source == .configuration)
    }

    @Test func emptyVariableIsIgnored() throws {
        #expect(try context(["TEST_NUMBER": ""], load("{\"max_bytes\":3}")).value(Self.size) == 3)
    }

    @Test func invalidValueIsReportedWithItsSource() throws {
        #expect(message { _ = try context([:], .empty, "--size", "x") } == "64 --size takes a number, not \"x\"")
        #expect(
            message { _ = try context(["TEST_NUMBER": "x"]).value(Self.size) }
                == "78 TEST_NUMBER takes a number, not \"x\"")
        let file = try load("{\"max_bytes\":\"x\"}")
        #expect(
            message { _ = try context([:], file).value(Self.size) }
                == "78 \(folder.path("config.json")): \"max_bytes\" takes a number, not \"x\"")
        // Invalid values of lower precedence are ignored.
        #expect(try context(["TEST_NUMBER": "x"], file, "--size", "1").value(Self.size) == 1)
    }

    // MARK: The file

    @Test func numbersAndBooleansAreReadAsWritten() throws {
        let file = try load("{\"quality\": 82, \"ttl\": \"14d\", \"allow_private\": true, \"capacity\": 1.50}")
        #expect(try file.text("quality") == "82")
        #expect(try file.text("ttl") == "14d")
        #expect(try file.text("allow_private") == "true")
        #expect(try file.text("capacity") == "1.50")
        #expect(try file.text("scope") == nil)
    }

    @Test(arguments: ["[1]", "{\"a\":1}", "[]"])
    func arraysAndObjectsAreInvalidSettings(_ value: String) throws {
        let file = try load("{\"quality\":\(value)}")
        #expect(message { _ = try file.text("quality") }?.hasPrefix("78 ") == true)
    }

    @Test func unknownFieldIsRefusedWithASuggestion() throws {
        let said = message { _ = try load("{\"capasity\":\"1GB\"}") }
        #expect(said?.hasPrefix("78 ") == true && said?.contains("did you mean capacity?") == true, "\(said ?? "")")
    }

    @Test(arguments: ["", "nonsense", "[]", "42", "{\"jobs\":", "{} {}"])
    func configurationOtherThanAnObjectIsRefused(_ text: String) throws {
        let said = message { _ = try load(text) }
        #expect(
            said?.hasPrefix("78 cannot use the configuration file \(folder.path("config.json"))") == true,
            "\(said ?? "taken")")
    }

    @Test func namedConfigurationFileMustExist() throws {
        let nowhere = folder.path("nowhere.json")
        let variables = Environment(["APOD_TOOLS_CONFIG": nowhere])
        #expect(
            message { _ = try Configuration.load(option: nowhere, environment: Environment()) }?.hasPrefix("78 ")
                == true)
        #expect(message { _ = try Configuration.load(option: nil, environment: variables) }?.contains(nowhere) == true)
        #expect(
            message { _ = try Configuration.load(option: folder.path, environment: Environment()) }?.hasPrefix("78 ")
                == true)
    }

    @Test func configurationFilesAreFoundInOrder() throws {
        let home = try folder.makeFolder("home")
        let environment = ["HOME": home, "XDG_CONFIG_HOME": folder.path("xdg")]
        #expect(try Configuration.load(option: nil, environment: Environment(environment)).text("jobs") == nil)
        try folder.write("home/.config/apod-tools/config.json", "{\"jobs\":1}")
        #expect(try Configuration.load(option: nil, environment: Environment(["HOME": home])).text("jobs") == "1")
        try folder.write("xdg/apod-tools/config.json", "{\"jobs\":2}")
        #expect(try Configuration.load(option: nil, environment: Environment(environment)).text("jobs") == "2")
        let named = try folder.write("named.json", "{\"jobs\":3}")
        let all = Environment(environment.merging(["APOD_TOOLS_CONFIG": named]) { $1 })
        #expect(try Configuration.load(option: nil, environment: all).text("jobs") == "3")
        let option = try folder.write("option.json", "{\"jobs\":4}")
        #expect(try Configuration.load(option: option, environment: all).text("jobs") == "4")
        #expect(try Configuration.load(option: nil, environment: Environment()).text("jobs") == nil)
    }

    @Test(arguments: [
        (["HOME": "/home/ada"], "/home/ada/.cache/apod-tools"),
        (["HOME": "/home/ada", "XDG_CACHE_HOME": "/c"], "/c/apod-tools"),
        (["XDG_CACHE_HOME": "/c"], "/c/apod-tools"),
        (["HOME": "/home/ada", "XDG_CACHE_HOME": "c"], "/home/ada/.cache/apod-tools"),
        (["XDG_CACHE_HOME": "c"], nil), ([:], nil), (["HOME": ""], nil),
    ]) func rootIsAnAbsolutePathOrNil(variables: [String: String], root: String?) throws {
        #expect(try context(variables).root() == root)
    }

    @Test func relativeXDGConfigHomeIsIgnored() throws {
        try folder.write("home/.config/apod-tools/config.json", "{\"jobs\":1}")
        let variables = ["HOME": folder.path("home"), "XDG_CONFIG_HOME": "config"]
        #expect(try Configuration.load(option: nil, environment: Environment(variables)).text("jobs") == "1")
        #expect(
            try Configuration.load(option: nil, environment: ["XDG_CONFIG_HOME": "config"]).text("jobs") == nil)
    }

    @Test func configurationFileOverOneMiBIsRefused() throws {
        let said = message { _ = try load("{\"scope\":\"" + String(repeating: "x", count: 1 << 20) + "\"}") }
        #expect(said?.hasPrefix("78 ") == true && said?.contains("1 MiB") == true)
    }

    // MARK: Keys

    @Test func keyFileOverridesKeyInTheEnvironment() throws {
        let context = try context(["TEST_KEY": "from-environment"])
        let file = try folder.write("key", " \t from-file\r\n\n")
        #expect(
            try self.context(["TEST_KEY": "from-environment"], .empty, "--key-file", file).secret(
                Self.keyFile, Self.key) == "from-file")
        #expect(try context.secret(Self.keyFile, Self.key) == "from-environment")
        #expect(try self.context().secret(Self.keyFile, Self.key) == nil)
    }

    @Test func keyInTheEnvironmentIsReadLikeAKeyFile() throws {
        #expect(try context(["TEST_KEY": " key\n"]).secret(Self.keyFile, Self.key) == "key")
        #expect(try context(["TEST_KEY": " \n"]).secret(Self.keyFile, Self.key) == nil)
        let said = message { _ = try context(["TEST_KEY": "two\nlines"]).secret(Self.keyFile, Self.key) }
        #expect(
            said == "78 TEST_KEY does not contain a valid key; a key is a single word on one line",
            "\(said ?? "taken")")
    }

    @Test(arguments: ["", " \n", "two words", "one\ntwo", "caf\u{E9}", "a\u{7F}b"])
    func fileWithoutAKeyIsRefusedWithoutQuotingIt(_ text: String) throws {
        let file = try folder.write("key", text)
        let said = message { _ = try context([:], .empty, "--key-file", file).secret(Self.keyFile, Self.key) }
        #expect(
            said == "78 \(file) does not contain a valid key; a key is a single word on one line",
            "\(said ?? "taken")")
    }

    @Test func unreadableKeyFileIsAConfigurationError() {
        #expect(
            message { _ = try context([:], .empty, "--key-file", folder.path("none")).secret(Self.keyFile, Self.key) }?
                .hasPrefix(
                    "78 cannot read the key") == true)
    }
}
