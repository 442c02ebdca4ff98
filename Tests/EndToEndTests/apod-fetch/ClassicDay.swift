import TestSupport

/// An invented answer of NASA's old service.
enum ClassicDay {
    static let day = "2024-02-03"

    static let json = """
        {"date":"2024-02-03","explanation":"Words.","hdurl":"https://apod.nasa.gov/apod/image/2402/a.jpg",\
        "media_type":"image","service_version":"v1","title":"A Title","url":"https://apod.nasa.gov/apod/image/2402/b.jpg"}
        """

    static let response = LoopbackResponse.json(json)

    /// The complete response, with headers.
    static let bytes = Array(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(json.utf8.count)\r\nConnection: close\r\n\r\n\(json)"
            .utf8)
}
