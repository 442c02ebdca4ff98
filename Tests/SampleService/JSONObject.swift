import TestSupport

/// A JSON object with its members in insertion order, stored as encoded bytes.
struct JSONObject {
    private var members: [UInt8] = []

    mutating func add(_ name: String, _ text: String?) {
        guard let text else { return }
        begin(name)
        members.append(quoted: text)
    }

    mutating func add(_ name: String, _ number: Int) {
        begin(name)
        members.append(contentsOf: String(number).utf8)
    }

    mutating func add(_ name: String, _ texts: [String]) {
        begin(name)
        members.append(UInt8(ascii: "["))
        for (index, text) in texts.enumerated() {
            if index > 0 { members.append(UInt8(ascii: ",")) }
            members.append(quoted: text)
        }
        members.append(UInt8(ascii: "]"))
    }

    mutating func add(_ name: String, _ object: JSONObject) {
        begin(name)
        object.write(to: &members)
    }

    mutating func add(_ name: String, json: String) {
        begin(name)
        members.append(contentsOf: json.utf8)
    }

    private mutating func begin(_ name: String) {
        if !members.isEmpty { members.append(UInt8(ascii: ",")) }
        members.append(quoted: name)
        members.append(UInt8(ascii: ":"))
    }

    func write(to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        bytes.append(contentsOf: members)
        bytes.append(UInt8(ascii: "}"))
    }
}

extension LoopbackResponse {
    static func json(_ object: JSONObject, status: Int = 200, type: String = "application/json") -> LoopbackResponse {
        var body: [UInt8] = []
        object.write(to: &body)
        return LoopbackResponse(status, headers: [("Content-Type", type)], body: body)
    }

    /// Returns an array of objects as a response. Encodes one object after another.
    static func json(
        _ objects: some Sequence<JSONObject>, type: String = "application/json"
    ) -> LoopbackResponse {
        var body = [UInt8(ascii: "[")]
        for object in objects {
            if body.count > 1 { body.append(UInt8(ascii: ",")) }
            object.write(to: &body)
        }
        body.append(UInt8(ascii: "]"))
        return LoopbackResponse(headers: [("Content-Type", type)], body: body)
    }
}

extension [UInt8] {
    /// Appends the text as a JSON string (RFC 8259 §7). Characters that need no escape, nearly all of the text, are
    /// copied in runs.
    fileprivate mutating func append(quoted text: String) {
        append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            var copied = 0
            for (index, byte) in bytes.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
                append(contentsOf: bytes[copied..<index])
                append(escaped: byte)
                copied = index + 1
            }
            append(contentsOf: bytes[copied...])
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func append(escaped byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0D: append(UInt8(ascii: "r"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x22, 0x5C: append(byte)
        default: append(contentsOf: "u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
        }
    }
}
