import Support
import TestSupport
import Testing

@testable import HTTP

/// The words of all failures of requests and addresses. `FetchFailureTests` has the statuses.
@Suite struct FailureMessageTests {
    @Test func everyFailureOfARequestHasASubjectAndARemedy() throws {
        let url = try WebURL("https://h/a")
        let answer = FetchFailure.Answer(status: 200, headers: HTTPHeaders(), url: url)
        let wait = FetchFailure.Answer(status: 429, headers: HTTPHeaders(), url: url, retryAfter: .seconds(7))
        func quota(_ limit: Int?) -> FetchFailure {
            .quotaUsedUp(.init(url: url, limit: limit, until: Timestamp(milliseconds: 0), retryAfter: .seconds(90)))
        }
        let rows: [(FetchFailure, String)] = [
            (.status(wait), "75 rate-limited: https://h/a answered 429: too many requests; try again in 7 s"),
            (
                .passingFault(answer),
                """
                75 server-error: https://h/a answered 200 with an error page of a gateway that cannot reach the \
                server; try again later
                """
            ),
            (
                .repeated(.timedOut(url: url, .waiting), attempts: 4),
                """
                75 timed-out: https://h/a timed out: no bytes received; try again later, or with a longer --timeout \
                (tried 4 times)
                """
            ),
            (
                quota(10),
                """
                75 rate-limited: https://h/a was not requested: the request limit of h is used up (limit 10); \
                try again at 1970-01-01T00:00:00Z (in 1m)
                """
            ),
            (
                quota(nil),
                """
                75 rate-limited: https://h/a was not requested: the request limit of h is used up; \
                try again at 1970-01-01T00:00:00Z (in 1m)
                """
            ),
            (
                .blockedAddress(url: url, address: IPAddress("10.0.0.1"), .privateUse),
                """
                77 blocked-address: refusing to fetch https://h/a: h (10.0.0.1) is a private address; \
                use --allow-private to allow it
                """
            ),
            (
                .blockedAddress(url: url, address: nil, .loopback),
                """
                77 blocked-address: refusing to fetch https://h/a: h is a loopback address; \
                use --allow-private to allow it
                """
            ),
            (
                .insecureRedirect(from: url, to: try WebURL("http://h/b")),
                """
                77 insecure-redirect: refusing to follow the redirect from https://h/a to http://h/b, which is not \
                encrypted; use an https address, or set APOD_TOOLS_ALLOW_INSECURE_REDIRECTS=true
                """
            ),
            (
                .exposedSecret(url: try WebURL("http://h/a"), header: "X-Key"),
                """
                77 exposed-secret: http://h/a was not requested: the header "X-Key" would be sent unencrypted; use \
                https, or put the server before the header or the file, as in --header 'http://h Name: value'
                """
            ),
            (
                .tooManyRedirects(url: url, limit: 10),
                "69 too-many-redirects: https://h/a redirects more than 10 times; check the address for a redirect loop"
            ),
            (
                .badRedirect(url: url, status: 302),
                """
                69 bad-redirect: https://h/a answered 302 without a valid Location; report it to the server's owner
                """
            ),
            (
                .nameNotResolved(url: url),
                "75 name-not-resolved: cannot resolve h for https://h/a; check the name and the network"
            ),
            (
                .connectionFailed(url: url, detail: "D"),
                "75 connection-failed: cannot connect to https://h for https://h/a: D; try again later"
            ),
            (
                .timedOut(url: url, .connecting),
                "75 timed-out: https://h/a timed out: no connection; try again later, or with a longer --timeout"
            ),
            (
                .timedOut(url: url, .receiving),
                "75 timed-out: https://h/a timed out: incomplete response; try again later, or with a longer --timeout"
            ),
            (
                .cutShort(url: url, detail: "D"),
                "75 cut-short: the connection broke before https://h/a was complete: D; try again"
            ),
            (
                .tooLarge(url: url, byteLimit: 9),
                """
                77 too-large: https://h/a is larger than the limit of 9 bytes; check the address, or raise the limit \
                if there is an option for it
                """
            ),
            (
                .badCertificate(url: url, detail: "D"),
                """
                77 bad-certificate: the certificate of https://h is not trusted, so https://h/a was not fetched: D; \
                check the clock and the installed certificates, or set APOD_TOOLS_CACERT
                """
            ),
            (
                .tlsFailed(url: url, detail: "D"),
                "75 tls-failed: the TLS handshake with https://h for https://h/a failed: D; try again later"
            ),
            (
                .unwantedEncoding(url: url, coding: "gzip"),
                """
                65 unwanted-encoding: https://h/a was sent compressed (gzip), which was not requested, so its bytes \
                are not the bytes of the picture; report it to the server's owner
                """
            ),
            (
                .badAnswer(url: url, detail: "D"),
                "75 bad-answer: https://h/a sent an invalid response: D; try again later"
            ),
            (
                .proxyFailed(url: url, detail: "D"),
                """
                75 proxy-failed: the proxy could not fetch https://h/a: D; check http_proxy, https_proxy and all_proxy
                """
            ),
            (
                .badHeader(name: "X Y"),
                """
                64 bad-header: cannot send the header "X Y"; a name has letters, digits and hyphens, a value is a \
                single line
                """
            ),
            (
                .badCertificateFile(detail: "D"),
                """
                78 bad-certificate-file: cannot read the trusted certificates (D); install ca-certificates, or check \
                the configured file
                """
            ),
            (
                .noLibcurl(detail: "D"),
                """
                70 no-libcurl: cannot load libcurl (D); install libcurl4 with apt, libcurl with dnf or apk, curl with \
                brew
                """
            ),
            (.transportFault(url: url, detail: "D"), "70 transport-fault: libcurl could not fetch https://h/a: D"),
        ]
        for (failure, expected) in rows { #expect(summary(failure) == expected) }
    }

    @Test(
        arguments: [
            (.global, "a public address"), (.unspecified, "an unspecified address"), (.loopback, "a loopback address"),
            (.metadata, "a cloud metadata address"), (.carrierShared, "a carrier's shared address"),
            (.orchid, "an ORCHID (RFC 7343), which is not routable"), (.linkLocal, "a link-local address"),
        ] as [(AddressClass, String)])
    func everyClassOfAddressesHasAPhrase(kind: AddressClass, phrase: String) { #expect(kind.phrase == phrase) }

    @Test(arguments: [
        (
            "a.example/b",
            "65 bad-url: \"a.example/b\" is not an absolute URL; write it in full, beginning with https://"
        ),
        (
            "https:a.example",
            """
            65 bad-url: "https:a.example" names no server; write two slashes after the colon, as in \
            https://example.org/
            """
        ),
        (
            "https:///b",
            """
            65 bad-url: "https:///b" names no server; write the server after the two slashes, as in \
            https://example.org/
            """
        ),
        (
            "https://a.example:99999/",
            "65 bad-url: \"https://a.example:99999/\" has an invalid port; use a number from 1 to 65535"
        ),
        (
            "https://a.example/\u{1}",
            """
            65 bad-url: "https://a.example/\u{1}" contains a line break or another control character; remove it
            """
        ),
        (
            "ftp://a.example/b",
            "77 blocked-scheme: \"ftp://a.example/b\" has an unsupported scheme; use http or https"
        ),
        (
            "https://a_b!/",
            "77 blocked-host: \"a_b!\" is not a valid host name or address; check the URL"
        ),
    ])
    func everyFaultOfAnAddressHasARemedy(text: String, expected: String) {
        #expect(summary { _ = try WebURL(text) } == expected)
    }

    @Test func messageAboutALongAddressShowsItsBeginning() {
        let long = "https://\(String(repeating: "a", count: 20_000))"
        #expect(
            summary { _ = try WebURL(long) }
                == "65 bad-url: \"\(long.prefix(100))...\" is longer than 16 KiB, which no server accepts")
    }

    @Test(arguments: [
        ("sesame", "--header takes 'Name: value'; add the colon after the name"),
        ("X Key: sesame", "--header takes 'Name: value' with a name of letters, digits and hyphens"),
        ("sesame;x", "--header takes 'Name: value'; replace the semicolon after the name by a colon"),
        ("X-Key:", "--header: \"X-Key:\" has no value; write 'X-Key;' to send it without a value"),
        ("Range: x", "--header: \"Range\" is reserved; the tool sets it for each request"),
        ("X: ses\u{7}ame", "--header: the value of \"X\" contains control characters, which cannot be sent"),
        ("https://a/b X: sesame", "--header takes an origin such as https://example.org before the header"),
    ])
    func everyFaultOfAHeaderHasARemedy(line: String, expected: String) {
        #expect(message { _ = try HeaderLine(line, source: "--header") } == "64 \(expected)")
    }
}
