import Support
import TestSupport

/// How a response is sent.
struct Delivery {
    enum Manner { case answer, garbage, close, reset }
    enum Framing { case length, chunked, none }

    let request: LoopbackRequest
    var response: LoopbackResponse?
    var manner = Manner.answer
    var framing = Framing.length
    /// Whether the chunk of size 0 is sent, which ends a chunked body.
    var endsChunks = true
    /// The number of body bytes to send, which may be less than the announced length; nil for all.
    var kept: Int?
    /// The delay before the response.
    var wait: Duration?
    /// The delay before each piece of the body.
    var pause: Duration?
    /// Whether the connection stays open without further bytes instead of ending.
    var stalls = false
    /// The minimum size of the body, which is padded with zeros.
    var size: Int?
    /// The size of an array that repeats the response.
    var repeated: Int?

    init(_ request: LoopbackRequest) { self.request = request }

    func send(on connection: LoopbackConnection) throws {
        if let wait, !connection.pause(wait) { return connection.close() }
        switch manner {
        case .close: return connection.close()
        case .reset: return connection.reset()
        case .garbage:
            connection.close()
            return try connection.send(Array("\u{1}\u{2} this is no protocol at all \r\n\r\n".utf8))
        case .answer: break
        }
        guard let response else { return connection.close() }
        if let repeated { return try sendRepeatedly(response, repeated, on: connection) }
        let isPlain = framing == .length && kept == nil && pause == nil && size == nil && !stalls
        if isPlain { return try connection.send(response, to: request) }
        try sendSpoiled(response, on: connection)
    }

    private func sendSpoiled(_ response: LoopbackResponse, on connection: LoopbackConnection) throws {
        var response = response
        let size = max(size ?? 0, response.body.count)
        let kept = min(kept ?? (stalls ? 0 : size), size)
        switch framing {
        case .length: response.set("Content-Length", "\(size)")
        case .chunked: response.set("Transfer-Encoding", "chunked")
        case .none: break
        }
        let endsHere = kept < size || framing == .none || !endsChunks || request.header("Connection") == "close"
        if endsHere {
            connection.close()
            if framing == .none || endsChunks { response.set("Connection", "close") }
        }
        try connection.send(response.head())
        guard request.method != "HEAD", response.status != 304, response.status != 204 else { return }

        let piece = pause == nil ? 65536 : max(1, (kept + 15) / 16)
        var sent = 0
        while sent < kept {
            if let pause, !connection.pause(pause) { return connection.close() }
            let end = min(sent + piece, kept)
            var bytes = Array(response.body[min(sent, response.body.count)..<min(end, response.body.count)])
            bytes += [UInt8](repeating: 0, count: end - sent - bytes.count)
            if framing == .chunked { bytes = Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10] }
            try connection.send(bytes)
            sent = end
        }
        if stalls { return connection.waitForClient() }
        if framing == .chunked && endsChunks && kept == size { try connection.send(Array("0\r\n\r\n".utf8)) }
    }

    /// Sends an array that repeats the response. Keeps only a piece of it in memory.
    private func sendRepeatedly(_ response: LoopbackResponse, _ size: Int, on connection: LoopbackConnection) throws {
        var response = response
        let (open, close, comma) = (UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","))
        var element = response.body
        if element.first == open, element.last == close { element = Array(element.dropFirst().dropLast()) }
        var piece: [UInt8] = []
        repeat { piece += element + [comma] } while piece.count < 65536
        response.set("Transfer-Encoding", "chunked")
        if request.header("Connection")?.lowercased() == "close" { connection.close() }
        try connection.send(response.head())
        func send(_ bytes: [UInt8]) throws {
            try connection.send(Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10])
        }
        try send([open])
        for _ in 0..<(size / piece.count + 1) { try send(piece) }
        try send(element + [close])
        try connection.send(Array("0\r\n\r\n".utf8))
    }
}
