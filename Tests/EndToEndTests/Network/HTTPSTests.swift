import Records
import Support
import TestSupport
import Testing

/// The certificates that the tools accept, and the redirects to plain HTTP that they refuse.
@Suite(.enabled(if: SecureServer.isPossible)) struct HTTPSTests {
    private let home: ToolHome
    private let picture = DrawnPicture.gradient(40, 30).png()

    init() throws {
        home = try ToolHome(environment: ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8"])
        try SecureServer.makeCertificates(in: home)
        try home.write("moon.png", Self.answer("200 OK", "Content-Type: image/png", body: picture))
    }

    private static func answer(_ status: String, _ field: String, body: [UInt8] = []) -> [UInt8] {
        let fields = [field, "Content-Length: \(body.count)", "Connection: close"]
        return Array((["HTTP/1.1 \(status)"] + fields + ["", ""]).joined(separator: "\r\n").utf8) + body
    }

    private func put(_ url: String, _ options: String...) throws -> ToolOutput {
        try home.run("img-cache", ["put", "APOD_TOOLS_RETRIES=0", url] + options)
    }

    @Test func knownAuthorityIsTrusted() throws {
        let server = try SecureServer(.good, home: home)
        let record = try put("\(server.address)/moon.png", "APOD_TOOLS_CACERT=ca.pem").expect(0).record
        #expect(try TestFile.bytes(#require(record.string("path"))) == picture)
    }

    @Test func unknownAuthorityIsNotTrusted() throws {
        let server = try SecureServer(.good, home: home)
        let record = try put("\(server.address)/moon.png")
            .expectFailure(77, code: "bad-certificate", tool: "img-cache")
        #expect(record.string("error.message")?.contains("APOD_TOOLS_CACERT") == true)
    }

    @Test(arguments: [SecureServer.Certificate.own, .expired, .foreign])
    func badCertificatesAreRefused(_ certificate: SecureServer.Certificate) throws {
        let server = try SecureServer(certificate, home: home)
        try put("\(server.address)/moon.png", "APOD_TOOLS_CACERT=ca.pem")
            .expectFailure(77, code: "bad-certificate", tool: "img-cache")
        #expect(home.blobs.isEmpty)
    }

    @Test func fileWithoutCertificatesIsAConfigurationError() throws {
        let server = try SecureServer(.good, home: home)
        try home.write("empty.pem", "")
        for file in ["nowhere.pem", "empty.pem"] {
            try put("\(server.address)/moon.png", "APOD_TOOLS_CACERT=\(file)")
                .expectFailure(78, code: "bad-certificate-file", tool: "img-cache")
        }
    }

    @Test func redirectFromHTTPSToHTTPNeedsAnOption() throws {
        let plain = try LoopbackServer { [picture] _ in .bytes(picture, type: "image/png") }
        let server = try SecureServer(.good, home: home)
        let target = "http://127.0.0.1:\(plain.port)/moon.png"
        try home.write("down.png", Self.answer("302 Found", "Location: \(target)"))
        let url = "\(server.address)/down.png"

        let refused = try put(url, "APOD_TOOLS_CACERT=ca.pem")
            .expectFailure(77, code: "insecure-redirect", tool: "img-cache")
        #expect(refused.string("error.message")?.contains("APOD_TOOLS_ALLOW_INSECURE_REDIRECTS=true") == true)

        let record = try put(url, "APOD_TOOLS_CACERT=ca.pem", "APOD_TOOLS_ALLOW_INSECURE_REDIRECTS=true", "--refresh")
            .expect(
                0
            ).record
        #expect(record.string("cache.status") == "miss" && record.string("cache.key") == url)
    }

    // MARK: apod-fetch

    private func fetch(_ server: SecureServer, _ options: String...) throws -> ToolOutput {
        try home.write("apod?date=\(ClassicDay.day)&thumbs=true", ClassicDay.bytes)
        return try home.run(
            "apod-fetch", ["APOD_TOOLS_SERVICE=api", "APOD_TOOLS_RETRIES=0", "--date", ClassicDay.day] + options,
            environment: ["APOD_API_URL": "\(server.address)/apod"])
    }

    @Test func serviceIsTrustedIfItsAuthorityIsInCacert() throws {
        let server = try SecureServer(.good, home: home)
        #expect(try fetch(server, "APOD_TOOLS_CACERT=ca.pem").expect(0).record.string("title") == "A Title")
        let record = try fetch(server, "--policy", "disabled").expectFailure(
            77, code: "bad-certificate", tool: "apod-fetch")
        #expect(record.string("error.message")?.contains("APOD_TOOLS_CACERT") == true)
    }

    @Test(arguments: [SecureServer.Certificate.own, .expired, .foreign])
    func servicesWithBadCertificatesAreRefused(_ certificate: SecureServer.Certificate) throws {
        let server = try SecureServer(certificate, home: home)
        try fetch(server, "APOD_TOOLS_CACERT=ca.pem").expectFailure(77, code: "bad-certificate", tool: "apod-fetch")
    }

    @Test func missingCertificateFileFailsAFetch() throws {
        let server = try SecureServer(.good, home: home)
        try fetch(server, "APOD_TOOLS_CACERT=nowhere.pem").expect(78)
    }

    /// No option allows such a redirect, because NASA's services do not redirect to unencrypted connections.
    @Test func redirectOfAServiceToPlainHTTPIsRefused() throws {
        let server = try SecureServer(.good, home: home)
        try home.write(
            "apod?date=\(ClassicDay.day)&thumbs=true", Self.answer("302 Found", "Location: http://127.0.0.1:9/"))
        try home.run(
            "apod-fetch",
            ["APOD_TOOLS_SERVICE=api", "APOD_TOOLS_RETRIES=0", "--date", ClassicDay.day, "APOD_TOOLS_CACERT=ca.pem"],
            environment: ["APOD_API_URL": "\(server.address)/apod"]
        ).expectFailure(77, code: "insecure-redirect", tool: "apod-fetch")
    }

    @Test func redirectToABadCertificateIsRefused() throws {
        let bad = try SecureServer(.own, home: home)
        let target = "\(bad.address)/moon.png"
        let plain = try LoopbackServer { _ in LoopbackResponse(302, headers: [("Location", target)]) }
        try put("http://127.0.0.1:\(plain.port)/up.png", "APOD_TOOLS_CACERT=ca.pem")
            .expectFailure(77, code: "bad-certificate", tool: "img-cache")
    }
}
