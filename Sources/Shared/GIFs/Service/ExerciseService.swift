import HTTP
import Support

/// ExerciseDB, at RapidAPI or at an address of one's own.
///
/// The key goes into a header of requests to that origin alone; it is in no address, message or description.
public struct ExerciseService: Sendable {
    /// Where the service is by default.
    public static let standardAddress = "https://exercisedb.p.rapidapi.com"

    /// Scheme, host, port and perhaps a path, without a slash at the end.
    public let address: String
    /// The address of all images, without saying which.
    let images: WebURL
    private let key: String?

    /// Larger than any GIF that the service has been seen to send, some 10 MB at 1080 pixels.
    static let byteLimit = 64_000_000

    /// Throws `ConfigurationFailure` where `address` is no http(s) address, or has a query, and where `key` cannot
    /// stand in a header. Blanks and line ends around the key, as a file has them, are dropped; an empty one is none.
    public init(address: String = standardAddress, key: String? = nil) throws {
        do {
            let url = try WebURL(address)
            guard url.query == nil, url.fragment == nil else {
                throw ConfigurationFailure("EXERCISEDB_API_URL has a query; give the service's address alone")
            }
            var text = url.requestText
            while text.hasSuffix("/") { text.removeLast() }
            self.address = text
            images = try WebURL("\(text)/image")
        } catch let failure as WebURLFailure {
            throw ConfigurationFailure("EXERCISEDB_API_URL: \(failure.message)")
        }
        let isBlank = { (byte: UInt8) in [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
        let bytes = Array((key ?? "").utf8).drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ConfigurationFailure(
                "the key for ExerciseDB has blanks or other characters that no key has; check EXERCISEDB_API_KEY or "
                    + "--api-key-file")
        }
        self.key = bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    public var hasKey: Bool { key != nil }

    /// `GET /image?exerciseId=0001&resolution=180`, with the headers of RapidAPI's gateway. Throws `WebURLFailure` for
    /// an address that cannot be asked.
    public func imageRequest(for gif: ExerciseGIF) throws -> HTTPRequest {
        // Both values are made of characters that stand for themselves in a query.
        let url = try WebURL("\(address)/image?exerciseId=\(gif.id)&resolution=\(gif.resolution)")
        return HTTPRequest(
            url: url, headers: headers(accepting: Self.gifType), cleartextOrigins: [images.origin],
            byteLimit: Self.byteLimit, acceptsCompression: false)
    }

    /// `GET /exercises?limit=500&offset=0`: an array of so many exercises from that one on.
    func listRequest(limit: Int, offset: Int) throws -> HTTPRequest {
        HTTPRequest(
            url: try WebURL("\(address)/exercises?limit=\(limit)&offset=\(offset)"),
            headers: headers(accepting: "application/json"), cleartextOrigins: [images.origin],
            byteLimit: Self.byteLimit)
    }

    /// What policies go by: the address of a GIF in its normal form.
    func address(of gif: ExerciseGIF) -> String {
        "\(images.normalized)?exerciseId=\(gif.id)&resolution=\(gif.resolution)"
    }

    /// What requests for images, and no others, say that they accept.
    static let gifType = "image/gif"

    private func headers(accepting type: String) -> [HTTPHeader] {
        let headers = [HTTPHeader("Accept", type, crossesOrigins: true), HTTPHeader("X-RapidAPI-Host", images.host)]
        return headers + (key.map { [HTTPHeader("X-RapidAPI-Key", $0)] } ?? [])
    }
}

extension ExerciseService: CustomStringConvertible, CustomReflectable {
    public var description: String { "ExerciseDB at \(address)" }

    /// Keeps `dump` from showing the key.
    public var customMirror: Mirror { Mirror(self, children: ["address": address]) }
}
