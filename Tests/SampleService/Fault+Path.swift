import Support
import TestSupport

extension Fault {
    /// The faults in the path of a request, in order.
    struct List {
        var all: [Fault] = []
        /// The path before each fault in `all`. The address of a redirect begins with this path.
        var prefixes: [String] = []

        /// The faults with their prefixes.
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

    /// Removes the faults from the beginning of a request's path.
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
            } else if case .quota(let limit, let count, let period)? = Fault(name) {
                let (used, rest) = counters.use("\(prefix)/\(name)", within: period)
                add(.quota(limit: limit, left: count - used, wait: rest))
            } else {
                // A misspelt fault must not return a good response.
                add(Fault(name) ?? .status(501))
            }
            prefix += "/fault/\(name)"
        }
        return (list, request.retargeted(rest.hasPrefix("/") ? String(rest) : "/" + rest))
    }
}
