import Support
import TestSupport

/// A way in which an answer goes wrong, named in the path: `/fault/slow-20/fault/cut-half/pictures/a.jpg`.
enum Fault: Sendable, Equatable {
    case status(Int)
    case retryAfter(Int)
    case redirect(status: Int, hops: Int)
    case redirectTo(String)
    case html, garbage, close, reset, gzipBomb
    /// Only the first attempts suffer from the faults that are named behind it.
    case times(Int)
    case wait(Duration)
    case cut(kept: Int?)
    case cutChunked
    case slow(Duration)
    case stall, chunked, noLength, gzip, wrongType, noValidators, noRange
    case maxAge(Int)
    case big(megabytes: Int)

    static let help = """
        FAULTS, before any address, as often as wanted: /fault/NAME/fault/NAME/pictures/a.jpg
          status-503            that status, with a small body of the kind it usually has
          retry-after-SECONDS   429 with Retry-After
          once-503              503 at the first attempt, then the answer; fail-K-times-STATUS: at the first K
          times-K               the faults behind it only at the first K attempts at this address
          redirect-302-N        N redirects, then the answer
          redirect-to/URL       one redirect to the percent-encoded URL
          cut-half, cut-BYTES   the whole length promised, then half or that many bytes, then the end
          cut-chunked           chunked, ended without the last chunk
          wait-MS               silence before the answer
          slow-MS               sixteen pieces with so long a pause before each
          stall                 the head, then silence until the client goes; with cut-: after the cut
          wrong-type            Content-Type text/html on the right bytes
          html                  an HTML page with status 200 and type image/jpeg
          garbage, close, reset not HTTP; an end without an answer; a reset
          chunked, no-length    chunks instead of a length; neither
          gzip, gzip-bomb       Content-Encoding gzip; 100 MB of zeros in 1 MB
          big-MEGABYTES         zeros behind the body up to that size
          no-validators         without ETag and Last-Modified; no-range: Range is ignored
          max-age-SECONDS       with Cache-Control
        """

    /// The fault of that name; nil where there is none.
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
        default: return nil
        }
    }

    /// The faults of one request, in the order of its path.
    struct List {
        var all: [Fault] = []
        /// The path before each fault of `all`, for redirects to come back with.
        var prefixes: [String] = []

        /// Each fault with what it needs to answer by itself.
        var early: [Step] { zip(all, prefixes).map { Step(fault: $0, prefix: $1) } }
    }

    struct Step {
        let fault: Fault
        let prefix: String

        func response(_ own: String, _ inner: LoopbackRequest) -> LoopbackResponse? {
            switch fault {
            case .redirect(let status, let hops):
                let again = hops > 1 ? "/fault/redirect-\(status)-\(hops - 1)" : ""
                return hops == 0
                    ? nil : LoopbackResponse(status, headers: [("Location", own + prefix + again + inner.target)])
            case .redirectTo(let url): return LoopbackResponse(302, headers: [("Location", url)])
            default: return fault.ownResponse
            }
        }
    }

    /// Takes the faults off the front of a request's path.
    static func split(_ request: LoopbackRequest, _ counters: RequestCounters) -> (List, LoopbackRequest) {
        var rest = request.target[...]
        var list = List()
        var prefix = ""
        var applies = true
        let attempt = rest.hasPrefix("/fault/") ? counters.attempt(at: request.target) : 1
        func add(_ fault: Fault) {
            guard applies else { return }
            list.all.append(fault)
            list.prefixes.append(prefix)
        }
        while rest.hasPrefix("/fault/") {
            rest = rest.dropFirst("/fault/".count)
            let name = String(rest.prefix { $0 != "/" && $0 != "?" })
            rest = rest.dropFirst(name.count)
            let words = name.split(separator: "-").map(String.init)
            if name == "redirect-to" {
                let url = rest.dropFirst().prefix { $0 != "/" && $0 != "?" }
                rest = rest.dropFirst(url.count + 1)
                add(.redirectTo(LoopbackRequest.decoded(url)))
            } else if words.count == 2, words[0] == "once", let status = Int(words[1]) {
                if attempt == 1 { add(.status(status)) }
            } else if words.count == 4, words[0] == "fail", let times = Int(words[1]), let status = Int(words[3]) {
                if attempt <= times { add(.status(status)) }
            } else if case .times(let times)? = Fault(name) {
                applies = applies && attempt <= times
            } else {
                // A misspelt fault must not pass for a good answer.
                add(Fault(name) ?? .status(501))
            }
            prefix += "/fault/\(name)"
        }
        return (list, request.retargeted(rest.hasPrefix("/") ? String(rest) : "/" + rest))
    }

    /// What is answered instead of the address's own answer.
    private var ownResponse: LoopbackResponse? {
        switch self {
        case .status(503):
            .text(
                "upstream connect error or disconnect/reset before headers. reset reason: connection timeout",
                status: 503)
        case .status(let status): .json("{\"code\":\(status),\"msg\":\"a sample of status \(status)\"}", status: status)
        case .retryAfter(let seconds):
            LoopbackResponse(
                429, headers: [("Content-Type", "application/json"), ("Retry-After", "\(seconds)")],
                body: Array("{\"error\":{\"code\":\"OVER_RATE_LIMIT\",\"message\":\"a sample\"}}".utf8))
        case .html: .text("<!doctype html><html><title>Sorry</title><p>Not here.</html>", type: "image/jpeg")
        case .gzipBomb:
            LoopbackResponse(
                headers: [("Content-Type", "application/json"), ("Content-Encoding", "gzip")], body: Self.bomb)
        case .garbage, .close, .reset: LoopbackResponse()
        default: nil
        }
    }

    private static let bomb = Deflate.gzip([UInt8](repeating: 0, count: 100_000_000))

    /// Changes how an answer is delivered.
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
        case .status, .retryAfter, .redirect, .redirectTo, .html, .gzipBomb, .times, .noRange: break
        }
    }
}
