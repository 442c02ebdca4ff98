import Support

/// Parses the lines of a head (RFC 9112 §2.1) as they arrive.
struct HeadReader {
    /// The maximum length of a head, larger than any legitimate head. libcurl's own limits vary.
    static let byteLimit = 300_000

    enum Step {
        case more
        case complete(status: Int, HTTPHeaders, endsAtClose: Bool)
        case tooLong
    }

    private var status: Int?
    /// Whether the version is 1.0 or 1.1, in which the server may end a body by closing the connection.
    private var isVersion1 = false
    private var fields: [HTTPHeaders.Field] = []
    private var isComplete = false
    private var count = 0

    /// Adds a line, including its line ending. Skips interim heads (1xx). Lines after a complete head begin another
    /// head, or are trailer fields (RFC 9110 §6.5), which are ignored.
    mutating func add(_ line: UnsafeRawBufferPointer) -> Step {
        count += line.count
        if count > Self.byteLimit { return .tooLong }
        var end = line.count
        while end > 0, line[end - 1] == UInt8(ascii: "\n") || line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        let text = line[..<end]
        if text.starts(with: Array("HTTP/".utf8)) {
            let words = String(decoding: text, as: UTF8.self).split(separator: " ", maxSplits: 2)
            status = words.count > 1 ? Int(words[1]) : nil
            isVersion1 = words[0].hasPrefix("HTTP/1")
            fields = []
            isComplete = false
            return .more
        }
        if isComplete { return .more }
        if text.isEmpty {
            guard let status, status >= 200 else { return .more }
            isComplete = true
            let headers = HTTPHeaders(fields)
            let hasLength = headers.contentLength != nil || headers["Transfer-Encoding"] != nil
            return .complete(status: status, headers, endsAtClose: isVersion1 && !hasLength)
        }
        if let first = text.first, isBlank(first), !fields.isEmpty {
            // Obsolete line folding (RFC 9112 §5.2). Appends in place, since a head may have 100,000 such lines.
            fields[fields.count - 1].value += " " + string(text)
        } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
            fields.append(HTTPHeaders.Field(name: string(text[..<colon]), value: string(text[(colon + 1)...])))
        }
        return .more
    }

    private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private func string(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        String(decoding: bytes.trimming(while: isBlank), as: UTF8.self)
    }
}
