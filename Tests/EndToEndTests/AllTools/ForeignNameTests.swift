#if os(Linux)
import Records
import Support
import TestSupport
import Testing

/// File names that are not valid UTF-8, in arguments, records and the cache. macOS does not allow them.
struct ForeignNameTests {
    private let home: ToolHome
    /// `é.jpg` in Latin-1
    private let name = String(pathBytes: [0xE9, 0x2E, 0x6A, 0x70, 0x67])

    init() throws { home = try ToolHome() }

    /// Returns the value of `path_base64` for a path.
    private func base64(_ path: String) -> String { Base64.encoded(path.pathBytes) }

    /// The names in the working folder.
    private func names() -> [[UInt8]] { TemporaryFolder.names(in: home.work).map(\.pathBytes) }

    @Test func inputAndOutputMayHaveNamesThatAreNotUTF8() throws {
        try home.write(name, Picture.jpeg(40, 20))
        let out = String(pathBytes: [0xFF, 0x2E, 0x70, 0x6E, 0x67])
        try home.run("img-downsample", [name, "--width", "20", "-o", out]).expect(0)
        #expect(try Picture.size(home.path(out)) == "20x10")
    }

    @Test func outputFolderKeepsTheBytesOfNames() throws {
        try home.write(name, Picture.jpeg(40, 20))
        let folder = String(pathBytes: [0x64, 0xFE])
        let record = try home.run("img-downsample", [name, "--width", "20", "--output-dir", folder]).expect(0).record

        let made = "\(folder)/\(name.dropLast(4))-custom.jpg"
        #expect(try Picture.size(home.path(made)) == "20x10")
        #expect(record.string("path_base64") == base64(home.path(name)))
        #expect(record.string("variants.custom.path_base64") == base64(home.path(made)))
        #expect(!record.has("path") && record.string("variants.custom.path") == nil)
    }

    @Test func cacheStoresAFileWhoseNameIsNotUTF8() throws {
        let path = try home.write(name, Picture.jpeg(40, 20))
        let put = try home.run("img-cache", ["put", name]).expect(0).record
        #expect(put.string("cache.key") == "file://\(home.work)/%E9.jpg")
        for asked in [name, path, try #require(put.string("cache.key"))] {
            #expect(try home.run("img-cache", ["get", asked]).expect(0).record.string("path") == put.string("path"))
        }
        let shrunk = try home.run("img-downsample", [name, "--width", "20"]).expect(0).record
        #expect(shrunk.variant("custom")?.string("status") == "made")
        // The name `%E9.jpg`, as plain text, names a different file.
        try home.run("img-cache", ["get", "%E9.jpg"]).expect(1)
    }

    @Test func cacheRootMayHaveANameThatIsNotUTF8() throws {
        try home.write("a.jpg", Picture.jpeg(40, 20))
        let root = home.path(name)
        let environment: [String: String?] = ["APOD_TOOLS_CACHE_DIR": root]
        let put = try home.run("img-cache", ["put", "a.jpg"], environment: environment).expect(0)
        #expect(try !put.record.has("path"))
        let path = try #require(try put.record.path("path"))
        #expect(path.pathBytes.starts(with: root.pathBytes + [0x2F]))

        // `path_base64` of a record is read like `path`.
        let shrunk = try home.run(
            "img-downsample", ["--width", "20"], stdin: .bytes(put.stdoutBytes), environment: environment
        ).expect(0).record
        let variant = try #require(try shrunk.path("variants.custom.path"))
        #expect(try Picture.size(variant) == "20x10")
        // The raw bytes are printed for a shell.
        let printed = try home.run("img-cache", ["get", "a.jpg", "--print", "path"], environment: environment).expect(0)
        #expect(printed.stdoutBytes == path.pathBytes + [0x0A])
        try home.run("img-cache", ["verify"], environment: environment).expect(0)
    }

    @Test func base64PathMustBeAllowedLikeATextPath() throws {
        let path = try home.write("private/\(name)", Picture.jpeg(40, 20))
        let line = #"{"path_base64":"\#(base64(path))"}"#
        try home.run("img-downsample", ["--width", "20"], stdin: .lines([line]))
            .expectFailure(77, code: "path-not-allowed", tool: "img-downsample")
        let allowed = ["--width", "20", "--allow-path", "private"]
        let record = try home.run("img-downsample", allowed, stdin: .lines([line])).expect(0).record
        #expect(record.string("path_base64") == base64(path))
        #expect(record.variant("custom") != nil)
        try home.run("img-downsample", allowed, stdin: .lines([#"{"path_base64":"?"}"#]))
            .expectFailure(65, code: "not-a-path", tool: "img-downsample")
    }

    @Test func messageEscapesTheNameOfAMissingFile() throws {
        for (tool, arguments) in [("img-downsample", [name, "--width", "20"]), ("img-cache", ["put", name])] {
            let output = try home.run(tool, arguments)
            let record = try output.expectFailure(66, code: "no-such-file", tool: tool)
            #expect(record.string("error.message") == "cannot open \\xe9.jpg: No such file or directory")
        }
        try home.run("img-downsample", [name, "--width", "20", "-o", "a.png"])
            .expectRefusal(66, "img-downsample", "\\xe9.jpg")
        #expect(names().isEmpty)
    }

    /// If a library changes the environment before `main`, libc moves the environment to another address. A runtime
    /// that expects the environment directly after the arguments in memory may then not find the arguments.
    @Test func argumentsAreReadIfALibraryChangesTheEnvironment() throws {
        let source = try home.write(
            "early.c",
            """
            #include <stdlib.h>
            __attribute__((constructor)) static void early(void) {
                for (char name[] = "EARLY_A"; name[6] <= 'Z'; name[6]++) setenv(name, "1", 1);
            }
            """)
        let library = home.path("early.so")
        if try home.shell("command -v cc").status != 0 {
            return print("NO COMPILER: the test of preloaded libraries is SKIPPED")
        }
        try home.shell("cc -shared -fPIC -o '\(library)' '\(source)'").expect(0)

        let output = try home.run("img-cache", ["get", name], environment: ["LD_PRELOAD": library])
        #expect(try output.expect(1).stderr.contains("%E9.jpg"), "\(output)")
    }
}
#endif
