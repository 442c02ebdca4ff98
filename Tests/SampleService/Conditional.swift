import Support
import TestSupport

/// The validators, conditions and ranges of RFC 9110 §13 and §14 that the tools use.
enum Conditional {
    /// A fixed time, so that responses are the same in every run.
    static let modified = "Thu, 01 Oct 2026 00:00:00 GMT"

    /// Applies `If-None-Match`, `If-Modified-Since`, `Range` and `If-Range` to the response.
    static func answer(
        _ request: LoopbackRequest, _ response: LoopbackResponse, _ faults: [Fault]
    ) -> LoopbackResponse {
        guard response.status == 200 else { return response }
        var response = response
        let tag = "\"\(String(SeededRandom.hash(response.body), radix: 16))\""
        if !faults.contains(.noValidators) {
            response.set("ETag", tag)
            response.set("Last-Modified", modified)
            if isUnchanged(request, tag) {
                return LoopbackResponse(304, headers: [("ETag", tag), ("Last-Modified", modified)])
            }
        }
        if faults.contains(.noRange) { return response }
        response.set("Accept-Ranges", "bytes")
        guard let range = request.header("Range"), mayResume(request, tag) else { return response }
        let size = response.body.count
        guard let wanted = parsed(range, size) else { return response }
        guard !wanted.isEmpty else {
            return LoopbackResponse(416, headers: [("Content-Range", "bytes */\(size)")])
        }
        response.status = 206
        response.set("Content-Range", "bytes \(wanted.lowerBound)-\(wanted.upperBound - 1)/\(size)")
        response.body = Array(response.body[wanted])
        return response
    }

    private static func isUnchanged(_ request: LoopbackRequest, _ tag: String) -> Bool {
        if let tags = request.header("If-None-Match") {
            return tags.split(separator: ",").contains { $0.drop { $0 == " " } == tag || $0.drop { $0 == " " } == "*" }
        }
        return request.header("If-Modified-Since") == modified
    }

    private static func mayResume(_ request: LoopbackRequest, _ tag: String) -> Bool {
        guard let condition = request.header("If-Range") else { return true }
        return condition == tag || condition == modified
    }

    /// Parses a single byte range; empty if it begins after the end, nil if its form is not supported.
    private static func parsed(_ text: String, _ size: Int) -> Range<Int>? {
        guard text.hasPrefix("bytes="), !text.contains(",") else { return nil }
        let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        switch (Int(ends[0]), Int(ends[1])) {
        case (let first?, let last?): return first <= last ? min(first, size)..<min(last + 1, size) : nil
        case (let first?, nil) where ends[1].isEmpty: return min(first, size)..<size
        case (nil, let count?) where ends[0].isEmpty: return max(0, size - count)..<size
        default: return nil
        }
    }
}
