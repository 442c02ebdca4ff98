import Support
import TestSupport

/// A fault of a response, named in the path: `/fault/slow-20/fault/cut-half/pictures/a.jpg`.
enum Fault: Sendable, Equatable {
    case status(Int)
    case retryAfter(Int)
    case redirect(status: Int, hops: Int)
    case redirectTo(String)
    case html, garbage, close, reset, gzipBomb
    /// Applies the faults that follow in the path only to the first attempts, up to this number.
    case times(Int)
    case wait(Duration)
    case cut(kept: Int?)
    case cutChunked
    case slow(Duration)
    case stall, chunked, noLength, gzip, wrongType, noValidators, noRange
    case maxAge(Int)
    case big(megabytes: Int)
    /// An array of this many megabytes that repeats the response.
    case endless(megabytes: Int)
    case upstream, noUpstream
    case wrongDay
    case reshaped(AnswerShape)
    /// A quota of `limit` requests per period. `left` is the number of requests left after this request, negative if it
    /// is refused.
    case quota(limit: Int, left: Int, wait: Duration)

    static let help = """
        FAULTS, in front of any address. Several can be combined: /fault/NAME/fault/NAME/pictures/a.jpg
          status-503            a response with this status and its usual small body
          retry-after-SECONDS   status 429 with Retry-After
          once-503              503 for the first attempt, then the normal response; fail-K-times-STATUS: K times
          times-K               apply the faults that follow only to the first K attempts at this address
          redirect-302-N        N redirects, then the normal response
          redirect-to/URL       one redirect to the percent-encoded URL
          cut-half, cut-BYTES   announce the full length, send half or this many bytes, then close
          cut-chunked           a chunked body without the final chunk
          wait-MS               wait before the response
          slow-MS               send the body in sixteen pieces, with a pause of this length before each
          stall                 send the header, then nothing until the client disconnects; with cut-, stop after these bytes
          wrong-type            Content-Type text/html with the right bytes
          html                  an HTML page with status 200 and type image/jpeg
          upstream-200          the text of a proxy's 503, with status 200
          no-upstream           like upstream-200, with the text "no healthy upstream"
          wrong-day             the response for the day before each requested day
          array, object         an array that contains the object; the first object of an array
          missing-FIELD, null-FIELD   remove the field from every object, or set it to null
          json-MEGABYTESmb      an array that repeats the response up to this size, streamed
          ratelimit-LIMIT-LEFT  X-RateLimit headers that count down from LEFT, shared by all addresses after it; then
                                429 with Retry-After; -SECONDS after it sets the period (default: 2870)
          garbage, close, reset send bytes that are not HTTP; close without a response; reset the connection
          chunked, no-length    a chunked body; a body without a length
          gzip, gzip-bomb       Content-Encoding gzip; 100 MB of zeros in 1 MB
          big-MEGABYTES         add zeros to the body, up to this size
          no-validators         omit ETag and Last-Modified; no-range: ignore Range
          max-age-SECONDS       add Cache-Control
        """

    /// Parses the name of a fault; nil if there is no such fault.
    init?(_ name: String) {
        let parts = name.lowercased().split(separator: "-").map(String.init)
        let numbers = parts.compactMap { Int($0) }.filter { $0 >= 0 }
        switch (name.lowercased(), parts.first ?? "", numbers.count) {
        case ("cut-half", _, _): self = .cut(kept: nil)
        case ("cut-chunked", _, _): self = .cutChunked
        case ("html", _, _): self = .html
        case ("garbage", _, _): self = .garbage
        case ("close", _, _): self = .close
        case ("reset", _, _): self = .reset
        case ("stall", _, _): self = .stall
        case ("chunked", _, _): self = .chunked
        case ("no-length", _, _): self = .noLength
        case ("gzip", _, _): self = .gzip
        case ("gzip-bomb", _, _): self = .gzipBomb
        case ("wrong-type", _, _): self = .wrongType
        case ("no-validators", _, _): self = .noValidators
        case ("no-range", _, _): self = .noRange
        case (_, "status", 1) where (100...999).contains(numbers[0]): self = .status(numbers[0])
        case (_, "retry", 1): self = .retryAfter(numbers[0])
        case (_, "redirect", 2) where (300...399).contains(numbers[0]):
            self = .redirect(status: numbers[0], hops: numbers[1])
        case (_, "cut", 1): self = .cut(kept: numbers[0])
        case (_, "slow", 1): self = .slow(.milliseconds(numbers[0]))
        case (_, "wait", 1): self = .wait(.milliseconds(numbers[0]))
        case (_, "times", 1): self = .times(numbers[0])
        case (_, "big", 1) where numbers[0] <= 1_000_000: self = .big(megabytes: numbers[0])
        case (_, "max", 1): self = .maxAge(numbers[0])
        case ("upstream-200", _, _): self = .upstream
        case ("no-upstream", _, _): self = .noUpstream
        case ("wrong-day", _, _): self = .wrongDay
        case (_, "json", 0):
            guard let size = parts.last.flatMap({ $0.hasSuffix("mb") ? Int($0.dropLast(2)) : nil }) else { return nil }
            self = .endless(megabytes: size)
        case (_, "ratelimit", 2...3):
            let wait = numbers.count == 3 ? numbers[2] : 2870
            self = .quota(limit: numbers[0], left: numbers[1], wait: .seconds(wait))
        default:
            guard let shape = AnswerShape(name) else { return nil }
            self = .reshaped(shape)
        }
    }

    /// The response that replaces the normal response; nil if there is none.
    var ownResponse: LoopbackResponse? {
        switch self {
        case .status(503): .text(Self.upstreamError, status: 503)
        case .upstream: .text(Self.upstreamError)
        case .noUpstream: .text("no healthy upstream")
        case .status(let status): .json("{\"code\":\(status),\"msg\":\"a sample of status \(status)\"}", status: status)
        case .retryAfter(let seconds): Self.overLimit(seconds: seconds)
        case .quota(_, let left, let wait) where left < 0:
            Self.overLimit(seconds: Int(wait.components.seconds) + (wait.components.attoseconds > 0 ? 1 : 0))
        case .html: .text("<!doctype html><html><title>Sorry</title><p>Not here.</html>", type: "image/jpeg")
        case .gzipBomb:
            LoopbackResponse(
                headers: [("Content-Type", "application/json"), ("Content-Encoding", "gzip")], body: Self.bomb)
        case .garbage, .close, .reset: LoopbackResponse()
        default: nil
        }
    }

    private static let upstreamError =
        "upstream connect error or disconnect/reset before headers. reset reason: connection timeout"

    private static func overLimit(seconds: Int) -> LoopbackResponse {
        var response = LoopbackResponse.json(
            "{\"error\":{\"code\":\"OVER_RATE_LIMIT\",\"message\":\"a sample\"}}", status: 429)
        response.set("Retry-After", "\(seconds)")
        return response
    }

    private static let bomb = Deflate.gzip([UInt8](repeating: 0, count: 100_000_000))

    /// Changes how a response is sent.
    func spoil(_ delivery: inout Delivery) {
        switch self {
        case .garbage: delivery.manner = .garbage
        case .close: delivery.manner = .close
        case .reset: delivery.manner = .reset
        case .wait(let limit): delivery.wait = limit
        case .cut(let kept): delivery.kept = kept ?? (delivery.response?.body.count ?? 0) / 2
        case .cutChunked: (delivery.framing, delivery.endsChunks) = (.chunked, false)
        case .slow(let limit): delivery.pause = limit
        case .stall: delivery.stalls = true
        case .chunked: delivery.framing = .chunked
        case .noLength: delivery.framing = .none
        case .wrongType: delivery.response?.set("Content-Type", "text/html; charset=UTF-8")
        case .maxAge(let seconds): delivery.response?.set("Cache-Control", "max-age=\(seconds)")
        case .big(let megabytes): delivery.size = megabytes * 1_000_000
        case .gzip:
            delivery.response.map { delivery.response?.body = Deflate.gzip($0.body) }
            delivery.response?.set("Content-Encoding", "gzip")
        case .noValidators:
            delivery.response?.set("ETag", nil)
            delivery.response?.set("Last-Modified", nil)
        case .endless(let megabytes): delivery.repeated = megabytes * 1_000_000
        case .reshaped(let shape):
            guard let response = delivery.response, response.status == 200 else { break }
            delivery.response?.body = shape.applied(to: response.body)
        case .quota(let limit, let left, _):
            delivery.response?.set("X-RateLimit-Limit", "\(limit)")
            delivery.response?.set("X-RateLimit-Remaining", "\(max(left, 0))")
        case .status, .retryAfter, .redirect, .redirectTo, .html, .upstream, .noUpstream, .wrongDay, .gzipBomb, .times,
            .noRange:
            break
        }
    }
}
