import Records
import Support
import TestSupport
import Testing

/// Passwords in addresses and keys of services, which must not be stored or shown.
struct SecrecyTests {
    private func expectNowhere(
        _ secrets: [String], in home: ToolHome, _ outputs: [ToolOutput], location: SourceLocation = #_sourceLocation
    ) throws {
        for secret in secrets {
            for output in outputs {
                #expect(!output.stdout.contains(secret), "\(secret): \(output)", sourceLocation: location)
                #expect(!output.stderr.contains(secret), "\(secret): \(output)", sourceLocation: location)
            }
            for name in home.folder.contents() where name.hasPrefix("cache/") {
                #expect(!name.contains(secret), sourceLocation: location)
                let path = home.folder.path(name)
                guard let bytes = try? TestFile.bytes(path) else { continue }
                #expect(!bytes.contains(secret), "\(secret) in \(name)", sourceLocation: location)
            }
        }
    }

    @Test func passwordInAnAddressIsNeitherStoredNorShown() throws {
        let home = try Sample.home()
        func hidden(_ url: String) -> String { url.replacing("http://", with: "http://user:secretpw@") }
        let urls = try [
            Sample.url("hidden.jpg"), Sample.url("hidden.jpg", faults: ["status-404"]),
            Sample.url("hidden-slow.jpg", faults: ["status-503"]), Sample.url("hidden-cut.jpg", faults: ["cut-half"]),
        ].map(hidden)
        // An output record repeats an address argument, so the addresses are passed in a field of the input records.
        let lines = urls.map { "{\"media\":\"\($0)\"}" }
        let output = try home.run(
            "img-cache", ["put", "-v", "APOD_TOOLS_RETRIES=1", "--field", "url=media"], stdin: .lines(lines))
        let cleaned = try output.records.map { record in
            var record = record
            record.remove("media")
            return String(decoding: record.line, as: UTF8.self)
        }
        #expect(cleaned.count == 4 && cleaned.allSatisfy { !$0.contains("secretpw") }, "\(cleaned)")
        #expect(!output.stderr.contains("secretpw"), "\(output)")
        let more = try [
            home.run("img-cache", ["ls", "--pretty"]), home.run("img-cache", ["stats", "--json"]),
            home.run("img-cache", ["has", "-v", urls[1]]), home.run("img-cache", ["path", urls[1]]),
        ]
        try expectNowhere(["secretpw"], in: home, more)
        #expect(home.blobs.count == 1)
    }

    @Test func addressArgumentIsShownWithoutItsSecrets() throws {
        let home = try Sample.home()
        let plain = try Sample.url("hidden-argument.jpg")
        let hidden = plain.replacing("http://", with: "http://user:secretpw@")
        let put = try home.run("img-cache", ["put", "-v", hidden]).expect(0)
        #expect(try put.record.string("url") == plain)
        // The secrets of a refused address are not shown either.
        let urls = ["ftp://user:secretpw@127.0.0.1/a.jpg", "http://user:secretpw@10.0.0.1/a.jpg"]
        let refused = try home.run("img-cache", ["put", "-v"] + urls).expect(77)
        let signed = try home.run("img-cache", ["put", "-v", plain + "?token=secretpw&w=9"]).expect(0)
        #expect(try signed.record.string("url") == plain + "?token=***&w=9")
        try expectNowhere(["secretpw"], in: home, [put, refused, signed, home.run("img-cache", ["get", hidden])])
        // Addresses without secrets are shown as typed.
        let typed = plain.replacing("http:", with: "HTTP:") + "?a=%7e#top"
        #expect(try home.run("img-cache", ["put", typed]).expect(0).record.string("url") == typed)
    }

    @Test func exerciseDBKeyIsSentOnlyInAHeader() throws {
        let folder = try TemporaryFolder()
        let service = try SampleServer(["--exercise-key", "secretkey3", "--log", folder.path("log")])
        let home = try ToolHome(environment: service.environment)
        let good = try home.run("gif-cache", ["put", "0001", "-v"], environment: ["EXERCISEDB_API_KEY": "secretkey3"])
            .expect(0)
        let wrong = try home.run("gif-cache", ["put", "0002", "-v"], environment: ["EXERCISEDB_API_KEY": "secretkey4"])
        #expect(wrong.status == 77, "\(wrong)")
        let missing = try home.run("gif-cache", ["put", "0002", "-v"])
        #expect(missing.status == 77, "\(missing)")
        try expectNowhere(["secretkey3", "secretkey4"], in: home, [good, wrong, missing])
        #expect(try !String(decoding: folder.read("log"), as: UTF8.self).contains("secretkey"))
    }

    @Test func keyFileWithSeveralWordsIsRefusedWithoutShowingThem() throws {
        let home = try Sample.home()
        let file = try home.write("key", "secretkey5 secretkey6\n")
        let output = try home.run("gif-cache", ["put", "1", "EXERCISEDB_API_KEY_FILE=\(file)"])
        try output.expectRefusal(78, "gif-cache", "does not contain a valid key")
        #expect(!output.stderr.contains("secretkey"))
        try home.run("gif-cache", ["put", "1", "EXERCISEDB_API_KEY_FILE=nowhere"]).expectRefusal(
            78, "gif-cache", "nowhere")
    }
}

extension [UInt8] {
    /// Whether the array contains the UTF-8 bytes of `text`.
    func contains(_ text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard let first = wanted.first, count >= wanted.count else { return false }
        return indices.dropLast(wanted.count - 1).contains { self[$0] == first && self[$0...].starts(with: wanted) }
    }
}
