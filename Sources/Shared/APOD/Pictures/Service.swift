/// Where a picture of the day comes from.
enum Service: String, Sendable, CaseIterable {
    /// NASA's site since 2026.
    case science
    /// The one before, or somebody's own copy of its server.
    case api

    /// NASA's own address.
    var standardAddress: String {
        switch self {
        case .science: "https://science.nasa.gov/wp-json/wp/v2/apod-basic"
        case .api: "https://api.nasa.gov/planetary/apod"
        }
    }

    /// The key that api.nasa.gov takes from everybody, for few requests: 10 an hour in October 2026.
    static let demoKey = "DEMO_KEY"

    /// The host of that address.
    var host: String {
        switch self {
        case .science: "science.nasa.gov"
        case .api: "api.nasa.gov"
        }
    }
}
