/// Counts the bytes of a body. Enforces the byte limit, and the range of a partial response.
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

    /// Starts the body of a response. Throws `FetchFailure.tooLarge` if `Content-Length` is over the limit, even for a
    /// compressed body, which decompression would make larger.
    mutating func begin(_ response: HTTPResponse) throws {
        count = response.status == 206 ? rangeStart : 0
        guard let length = response.headers.contentLength else { return }
        let (total, overflow) = count.addingReportingOverflow(length)
        if overflow || total > byteLimit { throw FetchFailure.tooLarge(url: url, byteLimit: byteLimit) }
    }

    /// Throws `FetchFailure.tooLarge` if the total is over the limit.
    mutating func add(_ bytes: Int) throws {
        count += bytes
        if count > byteLimit { throw FetchFailure.tooLarge(url: url, byteLimit: byteLimit) }
    }

    /// Throws `FetchFailure.cutShort` if a partial response (206) does not complete the resource: the server sent less
    /// than the requested range (RFC 9110 §14.2), or less than it announced in `Content-Range`. Another attempt may
    /// continue the transfer.
    func end(_ response: HTTPResponse) throws {
        guard response.status == 206, let range = ContentRange(response.headers) else { return }
        if count != range.last + 1 {
            throw FetchFailure.cutShort(url: url, detail: "received \(count) of \(range.last + 1) announced bytes")
        }
        if let total = range.total, count < total {
            throw FetchFailure.cutShort(url: url, detail: "received \(count) of \(total) bytes")
        }
    }
}
