import HTTP

/// NASA or another server that provides one of the services.
struct Server: Sendable, Equatable {
    let service: Service
    /// The host and port of another server; nil for NASA's.
    private let mirror: String?

    /// - Parameter address: the address of the service; nil for NASA's.
    init(_ service: Service, at address: WebURL? = nil) {
        self.service = service
        mirror = address.flatMap { address in
            let host = address.host + (address.port == address.scheme.defaultPort ? "" : ":\(address.port)")
            return service == .science && host == Service.scienceHost ? nil : host
        }
    }

    static let science = Server(.science)

    var isNASA: Bool { mirror == nil }

    /// The subject of a message.
    var name: String { mirror.map { "the service at \($0)" } ?? "\(Service.scienceHost)'s service" }
}

/// The two services for pictures of the day.
enum Service: String, Sendable, CaseIterable {
    /// NASA's site since 2026.
    case science
    /// A server that answers as api.nasa.gov did until 2026, such as NASA's apod-api.
    case api

    /// NASA's address of `science`.
    static let scienceAddress = "https://science.nasa.gov/wp-json/wp/v2/apod-basic"
    static let scienceHost = "science.nasa.gov"
}
