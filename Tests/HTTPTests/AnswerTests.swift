import Support
import TestSupport
import Testing

@testable import HTTP

@Suite struct HTTPHeadersTests {
    @Test func namesAreCaseInsensitiveAndRepeatedFieldsAreJoined() {
        let headers = HTTPHeaders(["Vary": "a", "ETag": "\"x\"", "vary": "b"])
        #expect(headers["VARY"] == "a, b")
        #expect(headers["etag"] == "\"x\"")
        #expect(headers.last("Vary") == "b")
        #expect(headers["Age"] == nil)
    }

    @Test func contentLengthMustBeASingleNumber() {
        #expect(HTTPHeaders(["Content-Length": "12"]).contentLength == 12)
        #expect(HTTPHeaders(["Content-Length": "12", "content-length": "12"]).contentLength == 12)
        for bad in ["", "-1", "+1", "1, 2", "0x10", "99999999999999999999"] {
            #expect(HTTPHeaders(["Content-Length": bad]).contentLength == nil)
        }
    }

    @Test func invalidHeadersAreRecognised() {
        #expect(HTTPHeader("X-Key", "a b\tä").isValid)
        for header in [
            HTTPHeader("X", "a\r\nY: b"), HTTPHeader("X", "a\nb"), HTTPHeader("X", "\u{0}"), HTTPHeader("", "a"),
            HTTPHeader("X Y", "a"), HTTPHeader("X:", "a"), HTTPHeader("X\n", "a"),
        ] {
            #expect(!header.isValid)
        }
    }
}

@Suite struct HeadReaderTests {
    private func read(_ lines: [String]) -> [(status: Int, headers: HTTPHeaders)] {
        var reader = HeadReader()
        var heads: [(Int, HTTPHeaders)] = []
        for line in lines {
            let step = Array("\(line)\r\n".utf8).withUnsafeBytes { reader.add($0) }
            if case .complete(let status, let headers, _) = step { heads.append((status, headers)) }
        }
        return heads
    }

    @Test(
        arguments: [
            (["HTTP/1.0 200 OK"], true), (["HTTP/1.1 200 OK", "Content-Type: image/gif"], true),
            (["HTTP/1.1 200 OK", "Content-Length: 3"], false),
            (["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"], false), (["HTTP/2 200"], false),
        ] as [([String], Bool)])
    func onlyAnHTTP1BodyWithoutALengthEndsAtClose(_ lines: [String], _ expected: Bool) {
        var reader = HeadReader()
        for line in lines + [""] {
            let step = Array("\(line)\r\n".utf8).withUnsafeBytes { reader.add($0) }
            if case .complete(_, _, let endsAtClose) = step { #expect(endsAtClose == expected) }
        }
    }

    @Test func interimHeadsAndTrailersAreSkipped() {
        let heads = read(["HTTP/1.1 103 Early", "Link: x", "", "HTTP/2 200", "ETag:  \"a\" ", "", "Trailer: late", ""])
        #expect(heads.count == 1)
        #expect(heads.first?.status == 200)
        #expect(heads.first?.headers.fields == [HTTPHeaders.Field(name: "ETag", value: "\"a\"")])
    }

    @Test func foldedLineIsAppendedToItsField() {
        #expect(read(["HTTP/1.1 200 OK", "X: a", "  b", ""]).first?.headers["x"] == "a b")
    }

    @Test func endlessHeadIsReportedAsTooLong() {
        var reader = HeadReader()
        let line = Array("X: \(String(repeating: "a", count: 1000))\r\n".utf8)
        let steps = (0..<400).map { _ in line.withUnsafeBytes { reader.add($0) } }
        #expect(steps.contains { if case .tooLong = $0 { true } else { false } })
    }
}

@Suite struct FetchFailureTests {
    private func answer(_ status: Int) throws -> FetchFailure {
        .status(
            FetchFailure.Answer(
                status: status, headers: HTTPHeaders(), url: try WebURL("https://u:pw@h/a?api_key=s3cret&d=1")))
    }

    @Test(arguments: [
        (202, "75 unexpected-status: URL answered 202: the server is still preparing the response; try again later"),
        (204, "69 unexpected-status: URL answered 204, an unexpected status"),
        (304, "75 bad-answer: URL answered 304 to an unconditional request; try again later"),
        (400, "69 http-400: URL answered 400: the server rejected the request; check the address"),
        (401, "77 unauthorized: URL answered 401: the key or password is missing or wrong; check it"),
        (403, "77 forbidden: URL answered 403: the server refuses access; check the key, if you use one"),
        (404, "69 not-found: URL answered 404: not found; check the address"),
        (
            407,
            "77 proxy-unauthorized: URL answered 407: the proxy requires a user name and a password; add them to its URL"
        ),
        (408, "75 timed-out: URL answered 408: the server timed out waiting for the request; try again later"),
        (410, "69 gone: URL answered 410: removed permanently"),
        (418, "69 http-418: URL answered 418: the server rejected the request; check the address"),
        (425, "75 rate-limited: URL answered 425: too many requests; try again later"),
        (429, "75 rate-limited: URL answered 429: too many requests; try again later"),
        (500, "75 server-error: URL answered 500: server error; try again later"),
        (503, "75 server-error: URL answered 503: server error; try again later"),
        (511, "77 network-login: URL answered 511: this network requires a login; open a web page in a browser"),
        (599, "75 server-error: URL answered 599: server error; try again later"),
    ])
    func everyStatusHasACodeAndAMessage(status: Int, expected: String) throws {
        let url = "https://h/a?api_key=***&d=1"
        #expect(summary(try answer(status)) == expected.replacing(": URL ", with: ": \(url) "))
    }

    @Test func messagesMaskOnlySecretsInURLs() throws {
        let url = try WebURL("https://u:pw@h/a?api_key=s3cret&d=1")
        let failures: [FetchFailure] = [
            try answer(404), .blockedAddress(url: url, address: nil, .loopback), .insecureRedirect(from: url, to: url),
            .tooManyRedirects(url: url, limit: 10), .badRedirect(url: url, status: 302), .nameNotResolved(url: url),
            .connectionFailed(url: url, detail: "x"), .timedOut(url: url, .connecting),
            .cutShort(url: url, detail: "x"),
            .tooLarge(url: url, byteLimit: 1), .badCertificate(url: url, detail: "x"),
            .tlsFailed(url: url, detail: "x"),
            .repeated(.timedOut(url: url, .waiting), attempts: 4),
            .quotaUsedUp(.init(url: url, limit: 10, until: Timestamp(milliseconds: 0), retryAfter: .seconds(90))),
            .passingFault(.init(status: 200, headers: HTTPHeaders(), url: url)),
            .badAnswer(url: url, detail: "x"), .proxyFailed(url: url, detail: "x"),
            .transportFault(url: url, detail: "x"),
        ]
        for failure in failures {
            #expect(!failure.message.contains("s3cret") && !failure.message.contains("pw@"))
            #expect(failure.message.contains("h/a?api_key=***&d=1"))
            #expect(!failure.message.hasSuffix("."))
        }
    }
}

@Suite struct BodyLimitTests {
    @Test(arguments: [("bytes 5-9/10", "8 of 10 announced bytes"), ("bytes 5-7/10", "8 of 10 bytes")])
    func incompleteRangeIsATransientFailure(range: String, words: String) throws {
        var request = HTTPRequest(url: try WebURL("https://h/a"))
        request.rangeStart = 5
        let response = HTTPResponse(status: 206, headers: HTTPHeaders(["Content-Range": range]), url: request.url)
        var limit = BodyLimit(request)
        try limit.begin(response)
        try limit.add(3)
        #expect(
            message { try limit.end(response) }
                == "75 the connection broke before https://h/a was complete: received \(words); try again")
    }
}
