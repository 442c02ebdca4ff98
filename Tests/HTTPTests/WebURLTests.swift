import Support
import TestSupport
import Testing

@testable import HTTP

@Suite struct WebURLTests {
    @Test(arguments: [
        ("http://example.org", "http://example.org/"),
        ("HTTPS://Example.ORG:443/a", "https://example.org/a"),
        ("http://example.org:80?x=1", "http://example.org/?x=1"),
        ("http://example.org:8080/", "http://example.org:8080/"),
        ("http://example.org:/", "http://example.org/"),
        ("  http://example.org/a b \n", "http://example.org/a%20b"),
        ("http://example.org/ä?ö=ü", "http://example.org/%C3%A4?%C3%B6=%C3%BC"),
        ("http://example.org/%7euser/%e4%2f", "http://example.org/~user/%E4%2F"),
        ("http://example.org/100%", "http://example.org/100%25"),
        ("http://example.org/a/./b/../c", "http://example.org/a/c"),
        ("http://example.org/a/b/..", "http://example.org/a/"),
        ("http://example.org/../../x", "http://example.org/x"),
        ("http://example.org/a/%2e%2E/b", "http://example.org/b"),
        ("http://example.org/a//b/", "http://example.org/a//b/"),
        ("http://example.org/a#part", "http://example.org/a"),
        ("http://user:secret@example.org/a", "http://example.org/a"),
        ("http://example.org./a", "http://example.org/a"),
        ("http://example.org/?a=1&b=[2]", "http://example.org/?a=1&b=[2]"),
        ("http://example.org/?", "http://example.org/?"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://0177.0.0.1/", "http://127.0.0.1/"),
        ("http://127.1/", "http://127.0.0.1/"),
        ("http://127.0.0.1./", "http://127.0.0.1/"),
        ("http://localhost./", "http://localhost/"),
        ("http://a.LOCALHOST.:80/", "http://a.localhost/"),
        ("http://%31%32%37.0.0.1/", "http://127.0.0.1/"),
        ("http://１２７。０。０。１/", "http://127.0.0.1/"),
        ("http://[2001:DB8:0:0::1]:80/", "http://[2001:db8::1]/"),
        ("http://[::ffff:127.0.0.1]/", "http://[::ffff:127.0.0.1]/"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://BÜCHER.example/", "http://xn--bcher-kva.example/"),
        ("http://bu\u{308}cher.example/", "http://xn--bcher-kva.example/"),
        ("http://b%C3%BCcher.example/", "http://xn--bcher-kva.example/"),
        ("http://例え.テスト/", "http://xn--r8jz45g.xn--zckzah/"),
        ("http://exa\u{200B}mple.org/", "http://example.org/"),
        ("http://①②⑦.1/", "http://127.0.0.1/"),
        ("http://ｌｏｃａｌｈｏｓｔ。/", "http://localhost/"),
        ("http://a@b@example.org/", "http://example.org/"),
        // Backslashes, as browsers parse them.
        ("http://example.org/a\\b", "http://example.org/a/b"),
        ("http://example.org/a\\..\\b?c\\d#\\", "http://example.org/b?c%5Cd"),
        ("http:\\\\example.org\\a", "http://example.org/a"), ("http:\\/example.org", "http://example.org/"),
        ("http://a\\b/", "http://a/b/"), ("http://example.org\\@127.0.0.1/", "http://example.org/@127.0.0.1/"),
        ("http://u:p@example.org\\@127.0.0.1/", "http://example.org/@127.0.0.1/"),
        ("http://example.org:80\\:81/", "http://example.org/:81/"),
        ("http://example.org/a%5Cb", "http://example.org/a%5Cb"),
    ])
    func allSpellingsHaveTheSameNormalForm(text: String, normalized: String) throws {
        #expect(try WebURL(text).normalized == normalized)
    }

    @Test(arguments: [
        ("http://user:pw@a/x", ["user:pw"]), ("http://u@v@a/?token=t&w=1&api_key=k#frag?key=no", ["u@v", "t", "k"]),
        ("--url=https://u:p@a", ["u:p"]), ("http://a/b@c?w=1", []), ("http://a/?key=", []), ("a@b", []), ("", []),
        ("ftp://u:p@[broken", ["u:p"]), ("http:\\\\u:p@a\\@b?key=k", ["u:p", "k"]),
    ])
    func secretsInAnAddressAreFound(text: String, secrets: [String]) {
        #expect(WebURL.secrets(in: text).map(String.init) == secrets)
    }

    @Test func addressesOverSixteenKibibytesAreRefused() throws {
        let base = try WebURL("http://example.org/")
        let most = "http://example.org/" + String(repeating: "x", count: WebURL.byteLimit - 19)
        #expect(try WebURL(most).path.utf8.count == WebURL.byteLimit - 18)
        #expect(throws: WebURLFailure.notAURL(text: most + "x", reason: .tooLong)) { try WebURL(most + "x") }
        let reference = "/" + String(repeating: "x", count: WebURL.byteLimit)
        #expect(throws: WebURLFailure.notAURL(text: reference, reason: .tooLong)) { try base.resolving(reference) }
        let failure = WebURLFailure.notAURL(text: "http://me:word@h/?k=v" + most, reason: .tooLong)
        #expect(failure.exitCode == .data && failure.message.utf8.count < 250)
    }

    @Test func finalDotOfLocalhostIsRemoved() throws {
        #expect(try WebURL("http://localhost./x").requestText == "http://localhost/x")
        #expect(try WebURL("http://example.org./x").requestText == "http://example.org./x")
    }

    @Test func normalizingIsIdempotent() throws {
        let pieces = [
            "a", "B", "%41", "%2f", "%zz", "/", "//", ".", "..", "%2E", "?", "#", "&", "=", "@", ":", "ä", " ", "[",
            "|", "\\",
        ]
        let hosts = ["example.org", "EXAMPLE.org.", "127.1", "[::1]", "[2001:db8::0:1]", "münchen.example", "a_b.c"]
        var random = SeededRandom(seed: 20_261_121)
        for _ in 0..<2000 {
            let tail = (0..<Int.random(in: 0...8, using: &random)).map { _ in pieces.randomElement(using: &random)! }
            let port = [":80", ":443", ":8080", ""].randomElement(using: &random)!
            let scheme = ["http", "HTTPS"].randomElement(using: &random)!
            let text = "\(scheme)://\(hosts.randomElement(using: &random)!)\(port)/\(tail.joined())"
            let url = try WebURL(text)
            let again = try WebURL(url.normalized)
            #expect(again.normalized == url.normalized, "\(text)")
            #expect(again.description == url.normalized, "\(text)")
            #expect(try WebURL(url.description).description == url.description, "\(text)")
            #expect(try WebURL(url.requestText).normalized == url.normalized, "\(text)")
        }
    }

    @Test(arguments: [
        "", "   ", "hello", "example.org", "example.org:8080/x", "localhost:80", "/a/b", "//example.org/", "http:/x",
        "http:x", "http://example.org:99999/", "http://example.org:0/", "http://example.org:8a/",
        "http://exam\nple.org/", "http://example.org/\u{0}", "1http://x/", "https",
    ])
    func invalidURLIsBadData(text: String) {
        let failure = #expect(throws: WebURLFailure.self) { try WebURL(text) }
        #expect(failure?.code == "bad-url")
        #expect(failure?.exitCode == .data)
    }

    @Test(arguments: [
        "file:///etc/passwd", "ftp://example.org/", "data:text/plain,x", "javascript:alert(1)", "gopher://h/",
        "mailto:a@b.c",
    ])
    func schemesOtherThanHTTPAndHTTPSAreBlocked(text: String) {
        let failure = #expect(throws: WebURLFailure.self) { try WebURL(text) }
        #expect(failure?.code == "blocked-scheme")
        #expect(failure?.exitCode == .notAllowed)
    }

    @Test(arguments: [
        "http://a b/", "http://a..b/", "http://.a/",
        "http://a%2fb/", "http://a%00b/", "http://1.2.3.4.5/", "http://256.1.1.1/", "http://0x/", "http://08.1.1.1/",
        "http://4294967296/", "http://1.2.3.999/", "http://[::1/", "http://[127.0.0.1]/", "http://[fe80::1%25eth0]/",
        "http://[::1]x/", "http://ex<am>ple/", "http://a|b/",
        "http://a%5Cb/", "http://a。\u{308}b/", "http://xn--a/", "http://ü＜/", "http://ü／b/", "http://ü＠b/",
        "http://..", "http://%ff/", "http://a*b/",
    ])
    func invalidHostsAreBlocked(text: String) {
        let failure = #expect(throws: WebURLFailure.self) { try WebURL(text) }
        #expect(failure?.code == "blocked-host")
        #expect(failure?.exitCode == .notAllowed)
    }

    @Test(arguments: [
        "http://", "http:///a.jpg", "https:///a.jpg", "http://?x", "http://#x", "http://user@/", "http://:80/",
    ])
    func addressWithoutAHostIsRefused(text: String) {
        let failure = #expect(throws: WebURLFailure.self) { try WebURL(text) }
        #expect(failure?.code == "bad-url")
        #expect(failure?.exitCode == .data)
        #expect(failure?.message.contains("names no server") == true)
    }

    /// Examples of RFC 3986 §5.4, without references that have a scheme but no authority.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
        ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"), ("https://h/x", "https://h/x"), (" a b ", "http://a/b/c/a%20b"),
        // Backslashes, as browsers parse them.
        ("\\g", "http://a/g"), ("..\\g?\\", "http://a/b/g?%5C"), ("\\\\g\\h", "http://g/h"),
        ("/\\g\\@h", "http://g/@h"),
        ("https:\\\\g", "https://g"),
    ])
    func referencesResolveAsInRFC3986(reference: String, result: String) throws {
        #expect(try WebURL("http://a/b/c/d;p?q").resolving(reference).description == result)
    }

    @Test func referenceWithAnotherSchemeIsBlocked() throws {
        let base = try WebURL("https://example.org/")
        #expect(throws: WebURLFailure.blockedScheme(of: "file:///etc/passwd")) {
            try base.resolving("file:///etc/passwd")
        }
    }

    @Test func credentialsAreParsedButNeverPrinted() throws {
        let url = try WebURL("https://us%65r:p%40ss@example.org/a?b")
        #expect(url.credentials == WebURL.Credentials(user: "user", password: "p@ss"))
        var dumped = ""
        dump(url, to: &dumped)
        for text in [
            url.description, url.debugDescription, url.normalized, url.redacted, url.requestText, dumped,
            "\(url.origin)", "\(url.credentials!)",
        ] {
            #expect(!text.contains("p@ss") && !text.contains("p%40ss") && !text.contains("user"))
        }
        #expect(try url.resolving("/other").credentials != nil)
        #expect(try url.resolving("https://elsewhere.example/").credentials == nil)
    }

    @Test func secretsInTheQueryAreRedacted() throws {
        let url = try WebURL(
            "https://api.nasa.gov/planetary/apod?api_key=abc&date=2024-01-01&X-Amz-Signature=f00&key#x")
        #expect(
            url.redacted == "https://api.nasa.gov/planetary/apod?api_key=***&date=2024-01-01&X-Amz-Signature=***&key")
        #expect(url.withoutSecrets.normalized == "https://api.nasa.gov/planetary/apod?date=2024-01-01")
    }

    @Test func secretsInPathAndFragmentAreRedacted() throws {
        let url = try WebURL("https://h/a;jsessionid=abc/hdnts=exp=1~hmac=def/b.jpg?w=1#access_token=ghi")
        #expect(url.hasSecrets && url.redacted == "https://h/a;jsessionid=***/hdnts=***/b.jpg?w=1")
        #expect(WebURL.withoutSecrets("HTTPS://h/#access_token=ghi") == "https://h/")
        #expect(WebURL.withoutSecrets("HTTPS://h/#top") == "HTTPS://h/#top")
    }

    @Test func parseFailuresHidePossibleSecrets() {
        let failure = #expect(throws: WebURLFailure.self) { try WebURL("http://me:secret@exa mple/?api_key=hidden") }
        #expect(failure?.message.contains("secret") == false)
        let other = #expect(throws: WebURLFailure.self) { try WebURL("http:me:secret@x?api_key=hidden") }
        #expect(other?.message.contains("secret") == false && other?.message.contains("hidden") == false)
    }

    @Test func removingQueryItemsKeepsTheBytesOfOthers() throws {
        let url = try WebURL("http://h/p?a=1&utm%5Fsource=x&b=%7e+&a=2#f")
        #expect(url.removingQueryItems(named: ["utm_source"]).query == "a=1&b=%7e+&a=2")
        #expect(url.removingQueryItems(named: ["a", "b", "utm_source"]).query == nil)
        #expect(url.removingQueryItems(named: ["z"]) == url)
        #expect(try WebURL("http://h/p").appendingQueryItem("q x", "a&b").description == "http://h/p?q%20x=a%26b")
    }

    @Test func originIsSchemeHostAndPort() throws {
        #expect(try WebURL("http://h:80/").origin == WebURL("http://H./x").origin)
        #expect(try WebURL("http://h/").origin != WebURL("https://h/").origin)
        #expect(try WebURL("http://h/").origin != WebURL("http://h:81/").origin)
    }

    @Test(arguments: [
        ("example.org/m31.jpg", true), ("apod.nasa.gov/apod/image/2402/a.jpg?x=1", true), ("EXAMPLE.org/a", true),
        ("m31.jpg", false), ("./example.org/m31.jpg", false), ("../a.jpg", false), ("/example.org/m31.jpg", false),
        ("folder/m31.jpg", false), ("example.org/", false), ("v1.2/m31.jpg", false), ("a..org/m31.jpg", false),
        ("example.o/m31.jpg", false), ("", false),
    ])
    func addressWithoutASchemeMustBeginWithADomain(_ text: String, _ isAddress: Bool) {
        #expect(WebURL.address(withoutScheme: text) == (isAddress ? "https://" + text : nil))
    }
}
