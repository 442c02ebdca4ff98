import HTTP
import Support

/// The value of `--remote`.
public enum RemoteAddress: Sendable, Equatable {
    /// A server that supports GET, HEAD and PUT.
    case http(WebURL)
    case redis(RedisAddress)
    /// The absolute path of a folder, usually on a mount that machines share.
    case folder(String)

    /// A Redis server and the number of a database.
    public struct RedisAddress: Sendable, Equatable {
        /// The host, port and credentials. The scheme is ignored.
        let url: WebURL
        let database: Int

        var host: String { url.host }
        var port: Int { url.explicitPort ?? 6379 }
    }

    /// Parses an `http`, `https`, `redis` or `file` address. Throws `RemoteFailure.badAddress`.
    public init(_ text: String) throws {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        do {
            switch scheme {
            case "http", "https": self = .http(try Self.server(text))
            case "redis": self = .redis(try Self.redis("http" + text.dropFirst(scheme.count)))
            case "file": self = .folder(try Self.folder(text.dropFirst(scheme.count + 1)))
            default: throw RemoteFailure.badAddress("it must begin with http:, https:, redis: or file:")
            }
        } catch let failure as WebURLFailure {
            throw RemoteFailure.badAddress(failure.message)
        }
    }

    private static func server(_ text: String) throws -> WebURL {
        let url = try WebURL(text)
        guard url.query == nil, url.fragment == nil else {
            throw RemoteFailure.badAddress("it must not have a query or a fragment")
        }
        // Resolved against the server's address, such a path would name another server.
        guard !url.path.hasPrefix("//") else { throw RemoteFailure.badAddress("its path begins with two slashes") }
        return url
    }

    private static func redis(_ text: String) throws -> RedisAddress {
        let url = try server(text)
        let path = url.path.drop { $0 == "/" }
        guard let database = path.isEmpty ? 0 : Int(path), (0...65_535).contains(database) else {
            throw RemoteFailure.badAddress("the path of a redis address must be a database number, such as /0")
        }
        return RedisAddress(url: url, database: database)
    }

    private static func folder(_ rest: Substring) throws -> String {
        let path = rest.hasPrefix("//") ? rest.dropFirst(2) : rest
        let bytes = PercentEncoding.decoded(Array(path.utf8)[...])
        guard bytes.first == UInt8(ascii: "/"), !bytes.contains(0) else {
            throw RemoteFailure.badAddress("a file address must have an absolute path, such as file:///mnt/pictures")
        }
        return String(pathBytes: bytes)
    }

    var credentials: WebURL.Credentials? {
        switch self {
        case .http(let url): url.credentials
        case .redis(let address): address.url.credentials
        case .folder: nil
        }
    }
}

extension RemoteAddress: CustomStringConvertible {
    /// The address without a user name and a password.
    public var description: String {
        switch self {
        case .http(let url): url.redacted
        case .redis(let address): "redis://\(address.host):\(address.port)/\(address.database)"
        case .folder(let path): "file://\(path)"
        }
    }
}
