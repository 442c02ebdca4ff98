/// Counts a body against the most that it may have.
struct BodyLimit {
    private let url: WebURL
    private let byteLimit: Int
    private let rangeStart: Int
    private var count = 0

    init(_ request: HTTPRequest) {
        url = request.url
        byteLimit = request.byteLimit
        rangeStart = request.rangeStart ?? 0
    }

    /// Starts over with an answer. Throws `too-large` where the length that it promises is over the limit; a body
    /// that is compressed for the transfer is larger still.
    mutating func begin(_ response: HTTPResponse) throws {
        count = response.status == 206 ? rangeStart : 0
        guard let length = response.headers.contentLength else { return }
        let (total, overflow) = count.addingReportingOverflow(length)
        if overflow || total > byteLimit { throw FetchFailure.tooLarge(url: url, byteLimit: byteLimit) }
    }

    /// Counts bytes that have arrived. Throws `too-large`.
    mutating func add(_ bytes: Int) throws {
        count += bytes
        if count > byteLimit { throw FetchFailure.tooLarge(url: url, byteLimit: byteLimit) }
    }
}
