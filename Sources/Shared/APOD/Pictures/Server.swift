import HTTP

/// A server that provides one of the two services: NASA's server or a mirror.
struct Server: Sendable, Equatable {
    let service: Service
    /// The host and port of the server, or nil for NASA's server.
    private let mirror: String?

    /// - Parameter address: the address of the service, or nil for NASA's service.
    init(_ service: Service, at address: WebURL? = nil) {
        self.service = service
        mirror = address.flatMap { address in
            let host = address.host + (address.port == address.scheme.defaultPort ? "" : ":\(address.port)")
            return service == .science && host == Service.scienceHost ? nil : host
        }
    }

    static let science = Server(.science)

    var isNASA: Bool { mirror == nil }

    /// The name of the server in messages.
    var name: String { mirror.map { "the service at \($0)" } ?? "\(Service.scienceHost)'s service" }
}

/// The two services for pictures of the day.
enum Service: String, Sendable, CaseIterable {
    /// NASA's new service, in use since 2026.
    case science
    /// The old service, which api.nasa.gov offered until 2026. A classic server, such as NASA's apod-api, answers in
    /// the same form.
    case api

    /// The address of NASA's new service.
    static let scienceAddress = "https://science.nasa.gov/wp-json/wp/v2/apod-basic"
    static let scienceHost = "science.nasa.gov"
}
