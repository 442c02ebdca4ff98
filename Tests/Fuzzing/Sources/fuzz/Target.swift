/// The readers of untrusted bytes, each fuzzed separately.
///
/// A target passes if it returns a result or an error. It fails if it crashes, violates a checked invariant, accesses
/// invalid memory, or takes too long.
enum Target: String, CaseIterable {
    case records
    case addresses
    case heads
    case jpeg
    case png
    case gif
    case webp
    case tiff
    case heif
    case jxl
    case previews
    case exif
    case xmp
    case html
    case answers
    case acceptance
    case inflate

    func run(_ bytes: [UInt8]) {
        switch self {
        case .records: readRecords(bytes)
        case .addresses: readAddress(bytes)
        case .heads: readHead(bytes)
        case .jpeg:
            readPicture(bytes, as: .jpeg)
            compareJPEGDecoders(bytes)
        case .png: readPicture(bytes, as: .png)
        case .gif: readPicture(bytes, as: .gif)
        case .webp: readPicture(bytes, as: .webp)
        case .tiff: readPicture(bytes, as: .tiff)
        case .heif: readPicture(bytes, as: .avif, .heic)
        case .jxl: readPicture(bytes, as: .jpegXL)
        case .previews: drawPreviews(bytes)
        case .exif: readExif(bytes)
        case .xmp: readXMP(bytes)
        case .html: readHTML(bytes)
        case .answers: readAnswers(bytes)
        case .acceptance: acceptGIF(bytes)
        case .inflate: unpack(bytes)
        }
    }

    /// Returns small initial inputs. The encoders of the project make the pictures.
    func seeds() throws -> [[UInt8]] {
        switch self {
        case .jpeg: try pictures(of: .jpeg)
        case .png: try pictures(of: .png)
        case .gif, .acceptance: try pictures(of: .gif)
        case .webp: try pictures(of: .webp)
        case .tiff: tiffSeeds
        case .heif: (try? pictures(of: .avif)) ?? []
        case .previews: try pictures(of: .jpeg) + pictures(of: .png) + pictures(of: .gif)
        case .exif: exifSeeds
        case .inflate: streamSeeds
        default: textSeeds.map { Array($0.utf8) }
        }
    }

    private var textSeeds: [String] {
        switch self {
        case .records:
            [
                #"{"date":"2026-11-20","url":"https://x.org/a.jpg","cache":{"key":"k","bytes":1},"n":1.10}"#,
                "[{\"a\":[1,{\"b\":null}]},\n{\"c\":\"\\u00e9\\ud83d\\ude80\"}]",
                "{\"a\":1}{\"a\":2}\n\n{ \"b\" :\ntrue }",
                "https://x.org/a.jpg\nb.png\n", "[]", "{\"a\":\"\\", "\u{FEFF}{}",
            ]
        case .addresses:
            [
                "https://user:pw@Ex%41mple.org:8443/a/../b%20c?x=1&token=s#f", "http://[::ffff:127.0.0.1]/",
                "HTTP://0x7f.1/",
                "https://b\u{FC}cher.example/\u{F6}?q=\u{E4}", "//x.org/a", "http://1.2.3.4.:80/", "192.168.0.0/16",
                "machine x.org login a password b\ndefault login c password d\n", "https://x.org=Name: value",
            ]
        case .heads:
            [
                "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nCache-Control: max-age=60, private=\"a, b\"\r\n"
                    + "Content-Range: bytes 0-9/100\r\nRetry-After: 120\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                    + "X-RateLimit-Limit: 40\r\nRateLimit: limit=10, remaining=1, reset=7\r\nA: b\r\n c\r\n\r\n",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/2 304\r\nETag: \"x\"\r\n"
                    + "Last-Modified: Sunday, 06-Nov-94 08:49:37 GMT\r\n\r\n",
            ]
        case .xmp:
            [
                "<x:xmpmeta><rdf:RDF><rdf:Description tiff:Orientation=\"6\" dc:creator=\"A &amp; B\"><dc:rights>"
                    + "<rdf:Alt><rdf:li xml:lang=\"x-default\">&#169; A</rdf:li></rdf:Alt></dc:rights>"
                    + "<tiff:Orientation>3</tiff:Orientation></rdf:Description></rdf:RDF></x:xmpmeta>"
            ]
        case .html:
            [
                "<b> Image Credit: </b><a href='x'>A</a> 's <sup>2</sup><br>&eacute;&amp;#8217;<!-- c --><p>x"
                    + "<table><td>y",
                "<iframe src=\"//v.org/a.mp4\"></iframe><video poster=p><source src=v></video><img src=a><a href=b>"
                    + "<img src=c></a>",
                "<p a b=c d='e' f=\"g\">Explanation: x Tomorrow's picture: y digg_url = 'z';",
            ]
        case .answers:
            [
                "{\"date\":\"2026-11-20\",\"title\":\"T\",\"explanation\":\"E\",\"media_type\":\"image\",\"url\":"
                    + "\"https://x.org/p/\",\"hdurl\":\"https://x.org/a.jpg?w=1\",\"basic_html\":\"<img src=a.jpg>\","
                    + "\"credit\":\"<a>C</a>\"}",
                "[{\"date\":\"2020-01-02\",\"title\":\"T\\nCredit: x\",\"explanation\":\"E &amp; F\",\"media_type\":"
                    + "\"video\",\"url\":\"https://www.youtube.com/embed/abc\",\"copyright\":\"\\nC\\n\"}]",
                "{\"code\":404,\"msg\":\"No data available for date: 2026-11-20\"}", "<html>x",
                "{\"error\":{\"code\":\"OVER_RATE_LIMIT\"}}",
                "[{\"id\":\"0001\",\"name\":\"x\"}]", "{\"message\":\"You have exceeded the MONTHLY quota\"}",
            ]
        default: []
        }
    }
}
