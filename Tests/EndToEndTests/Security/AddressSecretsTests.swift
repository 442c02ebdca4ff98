import Records
import Support
import TestSupport
import Testing

/// Tokens in the query parameters and the path of an address.
struct AddressSecretsTests {
    private static let pathToken = "Zk3vR9qLx0TbWm2YpQ"
    private static let names = [
        "sign", "sid", "session", "hdnts", "bearer", "otp", "pin", "policy", "Key-Pair-Id", "X-Amz-Credential",
        "x-goog-date", "sv", "se", "st", "e", "ticket", "nonce", "code", "verify", "expires", "accessToken",
    ]

    @Test func tokensInParametersAreNotStoredOrShown() throws {
        let home = try Sample.home()
        let metrics = home.path("metrics")
        let addresses = try Self.names.map { try Sample.url("m31.jpg") + "?\($0)=tokenvalue&w=1500" }
        // The addresses are fields of the input records, which the output repeats unchanged.
        let lines = addresses.map { "{\"media\":\"\($0)\"}" }
        let put = try home.run(
            "img-cache", ["put", "-v", "APOD_TOOLS_METRICS=\(metrics)", "--field", "url=media"], stdin: .lines(lines)
        ).expect(0)
        #expect(home.blobs.count == Self.names.count)
        let fields = try put.records.map { record in
            #expect(record.string("media")?.hasSuffix("=tokenvalue&w=1500") == true)
            var record = record
            record.remove("media")
            return String(decoding: record.line, as: UTF8.self)
        }
        let more = try ["ls", "stats"].map { try home.run("img-cache", [$0, "--json"]).expect(0).stdout }
        let measured = try String(decoding: TestFile.bytes(metrics), as: UTF8.self)
        for text in fields + more + [put.stderr, measured] { #expect(!text.contains("tokenvalue"), "\(text)") }
        for name in home.folder.contents() where name.hasPrefix("cache/") {
            guard let bytes = try? TestFile.bytes(home.folder.path(name)) else { continue }
            #expect(!bytes.contains("tokenvalue"), "\(name)")
        }
        // The entries are found by address and by key.
        #expect(try home.run("img-cache", ["has"] + addresses).status == 0)
        let keys = try put.records.compactMap { $0.string("cache.key") }
        #expect(keys.count == Self.names.count && keys.allSatisfy { $0.contains("=sha256-") })
        #expect(try home.run("img-cache", ["path"] + keys).expect(0).lines.count == keys.count)
    }

    @Test func tokenInThePathIsNotShownInMessagesAndMetrics() throws {
        let home = try Sample.home()
        let metrics = home.path("metrics")
        let address = try Sample.url("\(Self.pathToken)/m31.jpg", faults: ["status-404"])
        let failed = try home.run("img-cache", ["put", "-v", "APOD_TOOLS_METRICS=\(metrics)", address]).expect(69)
        let error = try #require(try failed.record.string("error.message"))
        let measured = try String(decoding: TestFile.bytes(metrics), as: UTF8.self)
        for text in [failed.stderr, error, measured] {
            #expect(text.contains("/***/m31.jpg") && !text.contains(Self.pathToken), "\(text)")
        }
        #expect(try failed.record.string("url") == address)
        let missing = try home.run("img-cache", ["get", address]).expect(1)
        #expect(!missing.stderr.contains(Self.pathToken))
    }

    @Test func lookupsCreateNoKeySecret() throws {
        let home = try Sample.home()
        let address = try Sample.url("m31.jpg") + "?pin=1234"
        try home.run("img-cache", ["has", address]).expect(1)
        try home.run("img-cache", ["explain", "--offline", address]).expect(0)
        #expect(!home.folder.contents().contains { $0.hasSuffix("key-secret") })
        try home.run("img-cache", ["put", address]).expect(0)
        #expect(home.folder.contents().contains { $0.hasSuffix("key-secret") })
        try home.run("img-cache", ["has", address]).expect(0)
        try home.run("img-cache", ["verify"]).expect(0)
    }
}
