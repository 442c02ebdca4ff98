import Support

/// Resolves `.` and `..` in a path (RFC 3986 §5.2.4).
enum DotSegments {
    /// Treats escaped dots (`%2e`) as dots, as browsers do, so that escapes cannot hide a `..`.
    static func removed(from path: String) -> String {
        guard path.utf8.first == UInt8(ascii: "/"), mayHaveDots(path) else { return path }
        var output: [Substring] = []
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch dots(segment) {
            case 1:
                if isLast { output.append("") }
            case 2:
                if !output.isEmpty { output.removeLast() }
                if isLast { output.append("") }
            default:
                output.append(segment)
            }
        }
        return "/" + output.joined(separator: "/")
    }

    /// Whether any segment begins with `.`, or with `%`, which may be an escaped dot.
    private static func mayHaveDots(_ path: String) -> Bool {
        var isStart = false
        for byte in path.utf8 {
            if isStart, byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%") { return true }
            isStart = byte == UInt8(ascii: "/")
        }
        return false
    }

    /// Returns 1 for `.`, 2 for `..`, escaped or not, and 0 for other segments.
    private static func dots(_ segment: Substring) -> Int {
        guard segment.utf8.count <= 6 else { return 0 }
        switch PercentEncoding.decoded(Array(segment.utf8)[...]) {
        case [UInt8(ascii: ".")]: return 1
        case [UInt8(ascii: "."), UInt8(ascii: ".")]: return 2
        default: return 0
        }
    }
}
