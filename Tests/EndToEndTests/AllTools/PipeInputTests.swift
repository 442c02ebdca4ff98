import Libc
import Records
import Support
import TestSupport
import Testing

/// Pipes, FIFOs and `/dev/stdin` as arguments are read like files. Their cache key is a hash of their content.
struct PipeInputTests {
    private let home: ToolHome
    private let picture: [UInt8]
    private let key: String

    init() throws {
        home = try ToolHome()
        picture = try Picture.jpeg(400, 200)
        try home.write("a.jpg", picture)
        var hash = SHA256()
        picture.withUnsafeBytes { hash.update($0) }
        key = "key:sha256-\(hash.finish())"
    }

    /// Three ways to pass the bytes of a.jpg. Bash replaces the first with /dev/fd/63.
    private static let ways = ["<(cat a.jpg)", "/dev/stdin < <(cat a.jpg)", "fifo"]

    /// Runs a confined tool with the pipe in place of `%`.
    private func run(_ way: String, _ command: String) throws -> ToolOutput {
        let (argument, rest) = way.hasPrefix("/dev/stdin") ? ("/dev/stdin", " < <(cat a.jpg)") : (way, "")
        let before = way == "fifo" ? "rm -f fifo; mkfifo fifo; cat a.jpg > fifo & " : ""
        return try home.shell(before + command.replacing("%", with: argument) + rest)
    }

    @Test(arguments: ways)
    func pipeIsStoredUnderAHashOfItsContent(_ way: String) throws {
        let first = try run(way, "img-cache put %").expect(0).record
        #expect(first.string("cache.key") == key)
        #expect(first.string("cache.status") == "miss")
        #expect(try TestFile.bytes(#require(first.string("path"))) == picture)

        // Every printed key is accepted, and storing the same bytes again is a hit.
        let got = try home.run("img-cache", ["get", key]).expect(0).record
        #expect(got.string("path") == first.string("path"))
        #expect(try run(way, "img-cache put %").expect(0).record.string("cache.status") == "hit")
        let named = try run(way, "img-cache put % --key moon").expect(0).record
        #expect(named.string("cache.key") == "key:moon")
    }

    @Test(arguments: ways)
    func variantsOfAPipeAreCachedByItsContent(_ way: String) throws {
        let first = try run(way, "img-downsample % --width 100").expect(0).record
        #expect(first.variant("custom")?.string("status") == "made")
        #expect(try Picture.size(#require(first.string("variants.custom.path"))) == "100x50")
        // A later tool can open the path.
        #expect(try TestFile.bytes(#require(first.string("path"))) == picture)
        #expect(try home.run("img-cache", ["get", key]).expect(0).record.string("path") == first.string("path"))

        // The picture is not stored a second time under the path of its cached file.
        #expect(try home.run("img-cache", ["ls", "--print", "cache.key"]).expect(0).stdout == key + "\n")

        let again = try run(way, "img-downsample % --width 100").expect(0).record
        #expect(again.variant("custom")?.string("status") == "hit")
        #expect(again.string("path") == first.string("path"))
        let file = try home.run("img-downsample", ["a.jpg", "--width", "100", "--output-dir", "out"]).expect(0).record
        #expect(
            try TestFile.bytes(#require(file.string("variants.custom.path")))
                == TestFile.bytes(#require(first.string("variants.custom.path"))))
    }

    @Test(arguments: ways)
    func variantOfAPipeIsWritten(_ way: String) throws {
        let record = try run(way, "img-downsample % --width 100 --output-dir out --name-template '{variant}.{ext}'")
            .expect(0).record
        #expect(record.string("variants.custom.path") == home.path("out/custom.jpg"))
        // The pipe is drained and cannot be opened again.
        #expect(!record.has("path"))
        try run(way, "img-downsample % --width 100 -o plain.jpg").expect(0)
        #expect(try home.folder.read("work/plain.jpg") == home.folder.read("work/out/custom.jpg"))
    }

    @Test(arguments: ["disabled", "memory"])
    func policyAppliesToAPipe(_ policy: String) throws {
        let put = try run("<(cat a.jpg)", "img-cache put % --policy \(policy)").expect(0).record
        #expect(put.string("cache.key") == key)
        let made = try run("<(cat a.jpg)", "img-downsample % --width 100 --policy \(policy)").expect(0).record
        #expect(made.variant("custom") != nil)
        #expect(home.blobs.isEmpty)
        // A rule may match a prefix of the key.
        let ruled = try run("<(cat a.jpg)", "APOD_TOOLS_POLICY_RULES='key:sha256-*=disabled' img-cache put %")
            .expect(0)
            .record
        #expect(ruled.string("cache.status") == "bypass")
    }

    @Test(arguments: ways)
    func gifInfoReadsAPipe(_ way: String) throws {
        try home.write("a.gif", DrawnAnimation(Array(repeating: .gradient(20, 10), count: 3)).gif())
        let gif = way.replacing("a.jpg", with: "a.gif")
        let before = gif == "fifo" ? "mkfifo ./fifo; cat a.gif > fifo & " : ""
        let argument = gif.hasPrefix("/dev/stdin") ? gif : gif == "fifo" ? "./fifo" : gif
        let record = try home.shell(before + "gif-cache info \(argument)").expect(0).record
        #expect(record.integer("info.frames") == 3)
        #expect(record.integer("info.bytes") == (try home.folder.read("work/a.gif").count))
    }

    @Test func pipeWithoutAPictureIsRefused() throws {
        let failed = try home.shell("img-cache put <(echo words)")
        #expect(failed.status == 65, "\(failed)")
        try home.shell("img-downsample <(head -c 3000 a.jpg) --width 100")
            .expectFailure(65, code: "truncated-image", tool: "img-downsample")
        try home.shell("img-cache put <(true)").expectFailure(65, code: "empty-body", tool: "img-cache")
        #expect(home.blobs.isEmpty && home.leftovers.isEmpty)
    }

    @Test func endlessInputIsRefusedAtTheByteLimit() throws {
        // `/dev/zero` is endless, so the tool must neither read all of it nor buffer it.
        let output = try home.run("img-downsample", ["/dev/zero", "--width", "9", "--max-bytes", "1MB"])
        try output.expectFailure(77, code: "too-many-bytes", tool: "img-downsample")
    }

    /// Some shells pass a here-document as an open but deleted file.
    @Test func deletedFileIsReadLikeAPipe() throws {
        let output = try home.shell("exec 3< a.jpg; rm a.jpg; img-downsample /dev/fd/3 --width 100").expect(0)
        #expect(try TestFile.bytes(#require(try output.record.string("path"))) == picture)
    }

    /// The key of a regular file is its path, even if the file is opened as `/dev/stdin`.
    @Test func standardInputMayBeAFile() throws {
        let output = try home.run("img-cache", ["put", "/dev/stdin"], stdin: .file(home.path("a.jpg"))).expect(0)
        #expect(try output.record.string("cache.key") == "file://\(home.path("a.jpg"))")
    }

    @Test(arguments: ["img-cache put", "img-downsample --width 9"])
    func signalEndsTheWaitForAPipe(_ command: String) throws {
        #expect(home.path("fifo").withPathPointer { mkfifo($0, 0o600) } == 0)
        var words = command.split(separator: " ").map(String.init)
        let tool = try home.start(words.removeFirst(), words + ["fifo", "-v"])
        // Opening a FIFO for reading and writing does not block, and keeps it open without sending bytes.
        let held = try File.open(home.path("fifo"), O_RDWR)
        #expect(tool.waitForErrors("confined", within: .seconds(20)))
        tool.kill(SIGTERM)
        let output = tool.wait(deadline: .seconds(4))
        #expect(output.signal == SIGTERM && !output.overran, "\(output)")
        withExtendedLifetime(held) {}
    }
}
