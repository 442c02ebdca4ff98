import CCurl
import Support

/// Exchanges by libcurl, which is loaded when the first request is made.
public final class CurlTransport: HTTPTransport {
    /// What all requests of a transport have in common.
    public struct Settings: Sendable {
        /// A PEM file with the certificates to trust instead of the system's.
        public var certificateFile: String?
        /// Whether user names and passwords are taken from `~/.netrc`.
        public var usesNetrc: Bool

        public init(certificateFile: String? = nil, usesNetrc: Bool = false) {
            self.certificateFile = certificateFile
            self.usesNetrc = usesNetrc
        }
    }

    let addressGuard: AddressGuard
    let environment: [String: String]
    let settings: Settings

    /// Cheap: opens and loads nothing.
    ///
    /// - Parameters:
    ///   - guard: judges every address that is dialled.
    ///   - environment: of it `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` are used, as curl does.
    public init(
        guard addressGuard: AddressGuard = .standard, environment: [String: String], settings: Settings = Settings()
    ) {
        self.addressGuard = addressGuard
        self.environment = environment
        self.settings = settings
    }

    public func exchange(
        _ request: HTTPRequest, interruption: Interruption, receive: (HTTPEvent) throws -> Void
    ) throws -> HTTPResponse {
        throw FetchFailure.noLibcurl(detail: "not connected yet")
    }
}
