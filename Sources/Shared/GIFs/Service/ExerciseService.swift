import Formats
import HTTP
import Support

/// ExerciseDB at RapidAPI, a compatible server, or the open version, which users host themselves.
///
/// The key is sent only in a header, and only to the origin of `address`. No address, message or description contains
/// the key.
public struct ExerciseService: Sendable {
    public static let standardAddress = "https://exercisedb.p.rapidapi.com"

    /// The scheme, host, port and an optional path, without a slash at the end.
    public let address: String
    /// The address of images, without a query.
    let images: WebURL
    private let key: String?

    /// The maximum size of an answer in bytes. The largest GIF that the service is known to have returned has about 10
    /// MB, at 1080 pixels.
    static let byteLimit = 64_000_000

    /// Trims white space around the key. An empty key is the same as nil. Throws `ConfigurationFailure` if `address` is
    /// not an http(s) address or has a query, or if `key` is not valid in a header.
    public init(address: String = standardAddress, key: String? = nil) throws {
        do {
            let url = try WebURL(address)
            guard url.query == nil, url.fragment == nil else {
                throw ConfigurationFailure(
                    "EXERCISEDB_API_URL has a query or fragment; use only the part before the ? or #")
            }
            var text = url.requestText
            while text.hasSuffix("/") { text.removeLast() }
            self.address = text
            images = try WebURL("\(text)/image")
        } catch let failure as WebURLFailure {
            throw ConfigurationFailure("EXERCISEDB_API_URL: \(failure.message)")
        }
        let bytes = (key ?? "").utf8.trimming { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ConfigurationFailure(
                "the key for ExerciseDB contains blanks or other invalid characters; check EXERCISEDB_API_KEY or "
                    + "EXERCISEDB_API_KEY_FILE")
        }
        self.key = bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    public var hasKey: Bool { key != nil }

    var origin: WebURL.Origin { images.origin }

    /// Whether this is the open version, whose paths begin with `/api/v1`.
    var isOpen: Bool { address.hasSuffix("/api/v1") }

    /// Throws `ConfigurationFailure` if `address` is at RapidAPI and there is no key, because only the user can accept
    /// RapidAPI's terms.
    public func requireChoice() throws(ConfigurationFailure) {
        guard !hasKey, ".\(origin.host)".hasSuffix(".rapidapi.com") else { return }
        throw ConfigurationFailure(
            "no ExerciseDB service is set; host its open version and set EXERCISEDB_API_URL (http://HOST:PORT/api/v1), "
                + "or set EXERCISEDB_API_KEY to a RapidAPI key, if its terms allow your use (gif-cache(1), SERVICES)")
    }

    /// Returns `GET /image?exerciseId=0001&resolution=180`, with the headers of RapidAPI's gateway. Throws
    /// `WebURLFailure`.
    ///
    /// - Parameter gifURL: the `gifUrl` of an exercise, which may be relative. If it is not nil, it is requested
    ///   instead of `/image`.
    public func imageRequest(for gif: ExerciseGIF, at gifURL: String? = nil) throws -> HTTPRequest {
        // Neither the id nor the resolution contains a character that must be escaped in a query.
        let text = gifURL ?? "\(address)/image?exerciseId=\(gif.id)&resolution=\(gif.resolution)"
        return request(try images.resolving(text), accepting: Self.gifType, acceptsCompression: false)
    }

    /// Returns the address of a page of the list, `/exercises?limit=500&offset=0`.
    ///
    /// - Parameter limit: the number of exercises per page. The default is 25 for the open version, which refuses more,
    ///   and 500 for RapidAPI, where each page costs one of the few requests of a plan. 1,300 exercises, of about a
    ///   kilobyte each, fit in 3 pages of 500.
    func listURL(limit: Int? = nil, offset: Int) throws(WebURLFailure) -> WebURL {
        try WebURL("\(address)/exercises?limit=\(limit ?? (isOpen ? 25 : 500))&offset=\(offset)")
    }

    func listRequest(_ url: WebURL) -> HTTPRequest { request(url, accepting: "application/json") }

    /// Returns `GET /exercises/ID` for the open version, which has no `/image`. The answer contains the `gifUrl`.
    func exerciseRequest(_ id: ExerciseID) throws -> HTTPRequest {
        listRequest(try WebURL("\(address)/exercises/\(id)"))
    }

    /// Returns the normalized address of a GIF, which the rules of policies match.
    func address(of gif: ExerciseGIF) -> String {
        "\(images.normalized)?exerciseId=\(gif.id)&resolution=\(gif.resolution)"
    }

    /// The value of the `Accept` header that identifies requests for GIFs to `ExerciseTransport`.
    static let gifType = ImageFormat.gif.contentType

    /// Returns a request. Adds the key if the URL has the service's origin.
    private func request(_ url: WebURL, accepting type: String, acceptsCompression: Bool = true) -> HTTPRequest {
        var headers = [HTTPHeader("Accept", type, survivesCrossOriginRedirect: true)]
        if url.origin == origin {
            headers.append(HTTPHeader("X-RapidAPI-Host", images.host))
            if let key { headers.append(HTTPHeader("X-RapidAPI-Key", key)) }
        }
        return HTTPRequest(
            url: url, headers: headers, cleartextOrigins: [origin], byteLimit: Self.byteLimit,
            acceptsCompression: acceptsCompression)
    }
}

extension ExerciseService: CustomStringConvertible, CustomReflectable {
    public var description: String { "ExerciseDB at \(address)" }

    /// Hides the key from `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["address": address]) }
}
