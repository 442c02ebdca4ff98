import Support
import TestSupport
import Testing

@testable import HTTP

@Suite struct HeaderLineTests {
    private func line(_ text: String) throws -> HeaderLine { try HeaderLine(text, source: "--header") }

    @Test(arguments: [
        ("X-Key: a", "X-Key", "a"), ("X-Key:a", "X-Key", "a"), (" X-Key :  a b \r", "X-Key", "a b"),
        ("X-Empty;", "X-Empty", ""), ("Cookie: a=1; b=2", "Cookie", "a=1; b=2"), ("X: http://a/", "X", "http://a/"),
        ("X: caf\u{E9}", "X", "caf\u{E9}"),
    ])
    func lineIsSplitIntoNameAndValue(text: String, name: String, value: String) throws {
        let line = try line(text)
        #expect(line.origin == nil)
        #expect(line.header.name == name && line.header.value == value)
        #expect(!line.header.survivesCrossOriginRedirect)
    }

    @Test(arguments: [
        ("https://example.org X: a", "https://example.org"), ("HTTP://EXAMPLE.org:80/  X: a", "http://example.org"),
        ("https://[::1]:8443 X: a", "https://[::1]:8443"),
    ])
    func originMayPrecedeTheHeader(text: String, origin: String) throws {
        let line = try line(text)
        #expect(line.origin?.description == origin)
        #expect(line.header.name == "X" && line.header.value == "a")
    }

    @Test(arguments: [
        "", "sesame", "X-Key:", "sesame;x", ": sesame", "X Key: sesame", "X\u{E9}: sesame", "X: ses\u{7}ame",
        "X: sesame\nY: sesame", "https://example.org", "https://example.org/path X: sesame",
        "https://u:sesame@example.org X: sesame", "https://example.org?sesame X: sesame", "ftp://a X: sesame",
    ])
    func invalidLineIsRefusedWithoutQuotingTheSecret(text: String) {
        let failure = #expect(throws: UsageFailure.self) { try line(text) }
        #expect(failure?.exitCode == .usage)
        #expect(failure?.message.hasPrefix("--header") == true)
        #expect(failure?.message.contains("sesame") == false, "\(failure?.message ?? "")")
    }

    @Test(arguments: ["Range", "host", "If-Range", "Accept-Encoding", "Transfer-Encoding", "If-None-Match"])
    func headersSetByTheToolAreRefused(name: String) {
        let failure = #expect(throws: UsageFailure.self) { try line("\(name): x") }
        #expect(failure?.message.contains(name) == true)
    }

    @Test func headerDescriptionsHideTheValue() {
        let header = HTTPHeader("X-Key", "sesame")
        #expect("\(header) \([header])" == "X-Key: (hidden) [X-Key: (hidden)]")
        var dumped = ""
        dump(header, to: &dumped)
        #expect(!dumped.contains("sesame"))
    }
}

@Suite struct GivenHeadersTests {
    private func names(_ given: UserHeaders, _ url: String) throws -> [String] {
        given.headers(for: try WebURL(url)).map { "\($0.name)=\($0.value)" }
    }

    @Test func fileHasOneHeaderPerLine() throws {
        var given = UserHeaders()
        let text = "# for one\r\nX-A: 1\r\n\n  # none\n\thttps://a.example X-B: 2\nX-C;\nhttps://b.example X-A: 3\n"
        try given.add(file: Array(text.utf8), path: "f")
        #expect(given.needOrigin)
        // Until an address is assigned, no server receives a header without an origin.
        #expect(try names(given, "https://a.example/x") == ["X-B=2"])
        #expect(try names(given, "https://c.example/x") == [])
        try given.assign(to: [WebURL("https://b.example/1"), WebURL("https://u:p@B.example.:443/2")])
        #expect(!given.needOrigin)
        #expect(try names(given, "https://a.example/x") == ["X-B=2"])
        #expect(try names(given, "https://b.example/x") == ["X-A=3", "X-C="])
        #expect(try names(given, "http://b.example/x") == [])
    }

    @Test func originsGivenWithHTTPMayReceiveCleartext() throws {
        var given = UserHeaders()
        given.add(try HeaderLine("http://a.example X: 1", source: "f"))
        given.add(try HeaderLine("https://b.example X: 1", source: "f"))
        given.add(try HeaderLine("X-C: 1", source: "f"))
        try given.add(bearer: "t", for: WebURL("http://d.example/").origin)
        // An assigned address with `http` does not permit cleartext, because the user did not name the address for the
        // header.
        try given.assign(to: [WebURL("http://c.example/")])
        #expect(Set(given.cleartextOrigins.map(\.description)) == ["http://a.example", "http://d.example"])
    }

    @Test func fieldsAreAddedUnlessTheirNameExists() throws {
        var given = UserHeaders()
        var others = UserHeaders()
        for line in ["X-A: 1", "https://a.example X-B: 1"] { given.add(try HeaderLine(line, source: "f")) }
        for line in ["x-a: 2", "X-C: 2", "https://a.example x-b: 2", "http://b.example X-B: 2"] {
            others.add(try HeaderLine(line, source: "f"))
        }
        given.add(missing: others)
        #expect(try names(given, "https://a.example/") == ["X-B=1"])
        #expect(try names(given, "http://b.example/") == ["X-B=2"])
        #expect(given.cleartextOrigins.count == 1)
        try given.assign(to: [WebURL("https://c.example/")])
        #expect(try names(given, "https://c.example/") == ["X-A=1", "X-C=2"])
    }

    @Test func invalidLineIsReportedOnlyByItsNumber() {
        var given = UserHeaders()
        let failure = #expect(throws: UsageFailure.self) {
            try given.add(file: Array("X: 1\n\nsesame\n".utf8), path: "dir/f")
        }
        #expect(failure?.message == "dir/f:3 takes 'Name: value'; add the colon after the name")
        #expect(
            message { try given.add(file: [0x58, 0x3A, 0x20, 0xFF], path: "f") } == "64 f:1: the line is not UTF-8")
    }

    @Test func headerWithAnOriginReachesOnlyThatOrigin() throws {
        var given = UserHeaders()
        given.add(try HeaderLine("https://a.example X: 1", source: "f"))
        #expect(!given.needOrigin)
        #expect(try names(given, "https://a.example:443/x") == ["X=1"])
        #expect(try names(given, "https://a.example.:443/x") == ["X=1"])
        for other in ["http://a.example/", "https://a.example:444/", "https://b.a.example/", "https://example/"] {
            #expect(try names(given, other).isEmpty)
        }
    }

    @Test func secondTokenForAnOriginIsRefused() throws {
        var given = UserHeaders()
        try given.add(bearer: "t")
        #expect(
            message { try given.add(bearer: "u") }
                == "64 --bearer-file and another \"Authorization\" header cannot be combined")
        let origin = try WebURL("https://b.example/").origin
        try given.add(bearer: "v", for: origin)
        #expect(
            message { try given.add(bearer: "w", for: origin) }
                == "64 --bearer-file and another \"Authorization\" header for https://b.example cannot be combined")
        try given.assign(to: [WebURL("https://a.example/")])
        #expect(try names(given, "https://a.example/") == ["Authorization=Bearer t"])
        #expect(try names(given, "https://b.example/") == ["Authorization=Bearer v"])
    }

    @Test(arguments: ["http://a.example/1", "https://a.example:8443/", "https://b.example/"])
    func fieldWithoutAnOriginIsRefusedForSeveralOrigins(other: String) throws {
        var given = UserHeaders()
        let urls = try [WebURL("https://a.example/"), WebURL(other)]
        given.add(try HeaderLine("https://a.example X-A: 1", source: "f"))
        try given.assign(to: urls)
        given.add(try HeaderLine("X-B: 1", source: "f"))
        let (one, two) = (urls[0].origin, urls[1].origin)
        #expect(
            message { try given.assign(to: urls) } == """
                64 --header and --bearer-file apply to a single server, but the addresses are from \(one) and \(two); \
                put the server before the header or the file, as in --header '\(one) Name: value'
                """)
    }
}

@Suite struct NetrcTests {
    private func found(_ text: String, _ url: String) throws -> String? {
        Netrc(Array(text.utf8)).credentials(for: try WebURL(url)).map { "\($0.user)|\($0.password)" }
    }

    @Test(arguments: [
        "machine a.example login u password p", "machine\ta.example\n  login u\n\tpassword p\n",
        "# machine a.example login x\nmachine A.example password p login u",
        "machine b.example login x password y machine a.example login u password p machine a.example login v",
        "machine a.example \"login\" \"u\" password \"p\"", "machine a.example login u account c password p",
        "macdef init\nmachine a.example login no\ncd /x\n\nmachine a.example login u password p",
    ])
    func entryForTheHostIsFound(text: String) throws { #expect(try found(text, "http://a.example:8080/x") == "u|p") }

    @Test func internationalHostIsFoundInAnySpelling() throws {
        let text = "machine BU\u{308}CHER.example login u password p"
        #expect(try found(text, "http://bücher.example/") == "u|p")
        #expect(try found(text, "http://xn--bcher-kva.example/") == "u|p")
    }

    @Test func quotedWordsKeepBlanksAndEscapes() throws {
        #expect(try found(#"machine a login "u v" password "p\"\\\n#""#, "http://a/") == "u v|p\"\\\n#")
    }

    @Test func entryForTheUserInTheURLIsUsed() throws {
        let text = "machine a login u password p machine a login v password q"
        #expect(try found(text, "http://v@a/") == "v|q")
        #expect(try found(text, "http://w@a/") == nil)
    }

    @Test(arguments: [
        "", "machine", "machine a.example", "default login u password p", "machine b.example login u password p",
        "machine example login u password p default login v password q", "login u password p",
        "machine sub.a.example login u", "\"", "machine a.example\\",
        // Words after `default` do not belong to the previous entry.
        "machine a.example default login u password p",
    ])
    func hostWithoutEntryHasNoCredentials(text: String) throws { #expect(try found(text, "http://a.example/") == nil) }
}

@Suite struct RequestCredentialsTests {
    private let netrc = Netrc(Array("machine a login u password p".utf8))

    private func request(_ url: String, _ headers: [HTTPHeader] = [], netrc: Netrc? = nil) throws -> HTTPRequest {
        HTTPRequest(url: try WebURL(url), headers: headers, netrc: netrc)
    }

    @Test func requestsWithCredentialsAreRecognised() throws {
        let crossing = HTTPHeader("Accept", "image/*", survivesCrossOriginRedirect: true)
        #expect(try !request("http://a/x?w=1", [crossing]).carriesCredentials)
        #expect(try request("http://a/", [HTTPHeader("X", "1")]).carriesCredentials)
        #expect(try request("http://u@a/").carriesCredentials)
        #expect(try request("http://a/?token=1").carriesCredentials)
        // A redirect may lead to a host in the `.netrc`.
        #expect(try request("http://b/", netrc: netrc).carriesCredentials)
    }

    @Test func urlOverridesNetrcAndHeaderOverridesBoth() throws {
        #expect(try request("https://a/", netrc: netrc).credentials == .init(user: "u", password: "p"))
        #expect(try request("https://v:q@a/", netrc: netrc).credentials == .init(user: "v", password: "q"))
        #expect(try request("https://u@a/", netrc: netrc).credentials == .init(user: "u", password: "p"))
        #expect(try request("https://v@a/", netrc: netrc).credentials == .init(user: "v", password: ""))
        #expect(try request("https://b/", netrc: netrc).credentials == nil)
        let header = HTTPHeader("authorization", "Bearer t")
        #expect(try request("https://u:p@a/", [header], netrc: netrc).credentials == nil)
        // Without encryption, the entry in the `.netrc` is ignored.
        #expect(try request("http://a/", netrc: netrc).credentials == nil)
        #expect(try request("http://u@a/", netrc: netrc).credentials == .init(user: "u", password: ""))
    }

    @Test func netrcAppliesToTheTargetOfARedirect() throws {
        func next(_ from: String, _ to: String) throws -> WebURL.Credentials? {
            let request = try request(from, netrc: netrc)
            let response = HTTPResponse(status: 302, headers: HTTPHeaders(["Location": to]), url: request.url)
            return try RedirectPolicy().next(after: response, to: request, followed: 0).credentials
        }
        #expect(try next("https://a/", "https://b/") == nil)
        #expect(try next("https://v:q@b/", "https://a/") == .init(user: "u", password: "p"))
        #expect(try next("https://v:q@b/", "https://c/") == nil)
    }
}
