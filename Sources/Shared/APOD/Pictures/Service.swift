/// Where a picture of the day comes from.
enum Service: String, Sendable, CaseIterable {
    /// NASA's site since 2026.
    case science
    /// A server that answers as api.nasa.gov did until then, such as one that runs NASA's apod-api.
    case api

    /// NASA's address of `science`.
    static let scienceAddress = "https://science.nasa.gov/wp-json/wp/v2/apod-basic"
    /// The host of that address.
    static let scienceHost = "science.nasa.gov"
}
