/// Counts a body against the most that it may have, and against what was promised.
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

    /// Looks at what arrived once the body has ended. A server may send less than it was asked for (RFC 9110 §14.2), or
    /// less than its `Content-Range` says: both are `cut-short`, which another attempt may continue.
    func end(_ response: HTTPResponse) throws {
        guard response.status == 206, let range = ContentRange(response.headers) else { return }
        if count != range.last + 1 {
            throw FetchFailure.cutShort(url: url, detail: "\(count) bytes came where \(range.last + 1) were promised")
        }
        if let total = range.total, count < total {
            throw FetchFailure.cutShort(url: url, detail: "the server sent \(count) of \(total) bytes")
        }
    }
}
