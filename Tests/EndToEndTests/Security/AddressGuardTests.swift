import Records
import Support
import TestSupport
import Testing

/// A private address is refused in any notation, unless it is allowed.
struct AddressGuardTests {
    /// A server that would answer with a picture, and counts requests.
    private struct Trap {
        let hits = Monitor(0)
        let server: LoopbackServer

        init() throws {
            let picture = DrawnPicture.gradient(4, 4).png()
            server = try LoopbackServer { [hits] _ in
                hits.update { $0 += 1 }
                return .bytes(picture, type: "image/png")
            }
        }
    }

    private static let hosts = [
        "127.0.0.1", "localhost", "LOCALHOST", "[::1]", "0.0.0.0", "0", "2130706433", "0x7f000001", "0177.0.0.1",
        "127.1",
        "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[::]", "127.0.0.1.", "１２７.０.０.１", "①②⑦。1",
        "%EF%BC%91%EF%BC%92%EF%BC%97.1", "ｌｏｃａｌｈｏｓｔ", "lo\u{AD}calhost",
    ]
    private static let elsewhere = [
        "169.254.169.254", "10.0.0.1", "192.168.1.1", "172.16.0.1", "100.64.0.1", "[fe80::1]", "[fd00::1]", "[fec0::1]",
        "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "[2002:7f00:1::]", "[::127.0.0.1]",
    ]

    @Test func loopbackIsRefusedInEveryNotation() throws {
        let trap = try Trap()
        let home = try ToolHome()
        let urls = Self.hosts.map { "http://\($0):\(trap.server.port)/a.png" }
        let output = try home.run("img-cache", ["put", "APOD_TOOLS_RETRIES=0"] + urls).expect(77)
        let records = try output.records
        #expect(records.count == urls.count)
        for (url, record) in zip(urls, records) {
            #expect(
                record.string("error.code") == "blocked-address",
                "\(url): \(record.string("error.message") ?? "passed")")
            #expect(record.integer("error.exit") == 77, "\(url)")
            #expect(record.bool("error.transient") == false, "\(url)")
        }
        #expect(trap.hits.withLock { $0 } == 0)
        #expect(home.blobs.isEmpty)
    }

    @Test func privateAndReservedNetworksAreRefusedWithoutAConnection() throws {
        let home = try ToolHome()
        let urls = Self.elsewhere.map { "http://\($0)/a.png" }
        let output = try home.run("img-cache", ["put", "APOD_TOOLS_RETRIES=0", "--timeout", "5s"] + urls).expect(77)
        for (url, record) in zip(urls, try output.records) {
            #expect(
                record.string("error.code") == "blocked-address",
                "\(url): \(record.string("error.message") ?? "passed")")
        }
    }

    @Test func recordsDoNotBypassTheGuard() throws {
        let trap = try Trap()
        let lines = ["hdurl", "url", "image_url", "gifUrl"].map {
            "{\"\($0)\":\"http://127.0.0.1:\(trap.server.port)/a.png\"}"
        }
        let output = try ToolHome().run("img-cache", ["put"], stdin: .lines(lines))
        try output.expectFailure(77, code: "blocked-address", tool: "img-cache")
        #expect(trap.hits.withLock { $0 } == 0)
    }

    @Test func redirectsDoNotBypassTheGuard() throws {
        let trap = try Trap()
        let home = try Sample.home(["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.1/32"])
        for target in [
            "http://127.0.0.2:\(trap.server.port)/a.png", "http://2130706434:\(trap.server.port)/a.png",
            "http://169.254.169.254/latest/",
        ] {
            let encoded = target.utf8.map { byte in
                Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber
                    ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
            let url = try Sample.service.url("/x.jpg", faults: ["redirect-to/\(encoded)"])
            let record = try home.run("img-cache", ["put", url])
                .expectFailure(77, code: "blocked-address", tool: "img-cache")
            #expect(record.string("error.message")?.contains(target) == true || target.contains("2130706434"))
        }
        // A redirect to an allowed address is followed.
        let allowed = "http://127.0.0.1:\(trap.server.port)/a.png".replacing("/", with: "%2f")
        let url = try Sample.service.url("/x.jpg", faults: ["redirect-to/\(allowed)"])
        _ = try home.run("img-cache", ["put", url]).expect(0)
        #expect(trap.hits.withLock { $0 } == 1)
    }

    @Test func schemesOtherThanHTTPAndHTTPSAreRefused() throws {
        let home = try ToolHome()
        for url in [
            "file:///etc/passwd", "ftp://127.0.0.1/a.png", "gopher://127.0.0.1/", "data://x", "dict://127.0.0.1/",
        ] {
            let output = try home.run("img-cache", ["put", url]).expect(77)
            let record = try output.record
            #expect(record.integer("error.exit") == 77, "\(output)")
            #expect(record.string("error.code")?.hasSuffix("scheme") == true, "\(output)")
        }
    }

    @Test func malformedHostsAreRefused() throws {
        let home = try ToolHome()
        for host in [
            "1.2.3.4.5", "256.256.256.256", "0x100000000", "09.1.1.1", "127.0.0.1%00.example.org", "a b", "[::1",
            "[fe80::1%25lo]",
        ] {
            let output = try home.run("img-cache", ["put"], stdin: .lines(["{\"url\":\"http://\(host)/a.png\"}"]))
            #expect(output.status == 77 || output.status == 65, "\(host): \(output)")
            #expect(output.status == 77 || host.contains(" ") || host == "[::1", "\(host): \(output)")
        }
    }

    @Test func otherToolsRefusePrivateAddresses() throws {
        let trap = try Trap()
        let address = trap.server.address
        let home = try ToolHome(environment: [
            "APOD_SCIENCE_URL": address, "APOD_API_URL": address, "EXERCISEDB_API_URL": address,
        ])
        let day = try home.run("apod-fetch", ["--date", "2024-02-01"])
        try day.expectFailure(77, code: "blocked-address", tool: "apod-fetch")
        try home.run("gif-cache", ["put", "0001"]).expectFailure(77, code: "blocked-address", tool: "gif-cache")
        #expect(trap.hits.withLock { $0 } == 0)
    }

    @Test func allowPrivateAllowsOnlyTheNamedRange() throws {
        let trap = try Trap()
        let home = try ToolHome()
        let url = "http://127.0.0.1:\(trap.server.port)/a.png"
        #expect(try home.run("img-cache", ["put", url, "--allow-private", "10.0.0.0/8"]).status == 77)
        #expect(try home.run("img-cache", ["put", url], environment: ["APOD_TOOLS_ALLOW_PRIVATE": "0"]).status == 77)
        #expect(trap.hits.withLock { $0 } == 0)
        _ = try home.run("img-cache", ["put", url, "--allow-private", "10.0.0.0/8,127.0.0.1"]).expect(0)
        _ = try home.run("img-cache", ["put", "--refresh", "--allow-private", url]).expect(0)
        try home.run("img-cache", ["put", url, "--allow-private=all of them"]).expectRefusal(
            64, "img-cache", "--allow-private")
    }
}
