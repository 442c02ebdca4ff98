import Records
import TestSupport

/// Faults of a service's answer.
enum Malformation: CaseIterable {
    case flippedBytes, cutOff, empty, onlyBlanks, garbage, webPage, otherContentType, oddStatus
    case missingField, otherType, hugeNumber, duplicateField, otherDay
    case otherShape, nesting, tangledHTML, trailingGarbage, twoValues, bareValue
    case invalidUTF8, loneSurrogate, byteOrderMark, zeroByte, endlessText

    /// The response with this fault.
    func applied(to response: LoopbackResponse, _ random: inout SeededRandom) -> LoopbackResponse {
        var result = response
        let text = String(decoding: response.body, as: UTF8.self)
        switch self {
        case .flippedBytes:
            for _ in 0..<random.number(1...8) where !result.body.isEmpty {
                result.body[random.below(result.body.count)] ^= UInt8(1 << random.below(8))
            }
        case .cutOff: result.body = Array(result.body.prefix(random.below(max(result.body.count, 1))))
        case .empty: result.body = []
        case .onlyBlanks: result.body = Array(" \r\n\t".utf8)
        case .garbage: result.body = random.bytes(random.number(1...500))
        case .webPage: return .text("<!DOCTYPE html><html><title>Sign in</title><p>to the network", type: "text/html")
        case .otherContentType:
            let types = ["text/html", "image/png", "application/json; charset=utf-16", nil]
            result.set("Content-Type", random.one(of: types))
        case .oddStatus:
            result.status = random.one(of: [201, 204, 206, 301, 304, 400, 401, 403, 404, 410, 418, 451, 999])
        case .missingField, .otherType, .hugeNumber, .duplicateField, .otherDay:
            result.body = changed(response.body, &random)
        case .otherShape:
            let isList = text.hasPrefix("[")
            result.body = Array((isList ? String(text.dropFirst().dropLast()) : "[\(text)]").utf8)
        case .nesting:
            let depth = random.one(of: [10, 1000, 100_000])
            let (open, close) = random.one(of: [("[", "]"), ("{\"date\":", "}")])
            let text = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            result.body = Array(text.utf8)
        case .tangledHTML:
            let html = String(
                repeating: random.one(of: ["<b><p>", "<table><td>", "<", "&#x", "<a href='"]), count: 900)
            result.body = replaced(response.body, with: .string(html), &random)
        case .trailingGarbage: result.body += random.one(of: ["}", "]", ",", "null", "{\"date\"", "\u{0}"]).utf8
        case .twoValues: result.body += Array("\n".utf8) + response.body
        case .bareValue: result.body = Array(random.one(of: ["null", "true", "\"2024-02-03\"", "42", "NaN", "-"]).utf8)
        case .invalidUTF8:
            let place = random.below(max(result.body.count, 1))
            let bytes: [[UInt8]] = [
                [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82],
            ]
            result.body.insert(contentsOf: random.one(of: bytes), at: place)
        case .loneSurrogate:
            let raw = random.one(of: [#""\ud800""#, #""a\udc00b""#, #""\ud83d\u0041""#, #""\u00""#, #""\x""#])
            result.body = replaced(response.body, with: .raw(Array(raw.utf8)), &random)
        case .byteOrderMark: result.body = [0xEF, 0xBB, 0xBF] + result.body
        case .zeroByte: result.body = replaced(response.body, with: .string("a\u{0}b\u{1B}[2J\u{202E}c"), &random)
        case .endlessText:
            result.body = replaced(response.body, with: .string(String(repeating: "sky ", count: 40_000)), &random)
        }
        return result
    }

    /// Changes a field of one of the objects.
    private func changed(_ body: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        switch self {
        case .missingField: return edited(body, &random) { record, name, _ in record.remove(name) }
        case .otherType:
            let values: [JSON] = [
                .null, .bool(true), .integer(-1), .string(""), .string(" "), .array([.string("a")]), .array([]),
                .object([]), .object([JSON.Member("rendered", .string("a"))]),
            ]
            return replaced(body, with: random.one(of: values), &random)
        case .hugeNumber:
            let numbers = ["99999999999999999999999", "1e999", "-0.0e-400", String(repeating: "9", count: 5000)]
            return replaced(body, with: .raw(Array(random.one(of: numbers).utf8)), &random)
        case .duplicateField:
            return edited(body, &random) { record, name, random in
                // `set` would replace the field, so the duplicate is appended as text.
                let value = random.one(of: ["null", "\"2001-01-01\"", "[]"])
                let twice = record.line.dropLast() + Array(",\"\(name)\":\(value)}".utf8)
                record = (try? Record(parsing: twice)) ?? record
            }
        default:
            let days = ["2001-02-03", "2024-02-30", "0000-00-00", "240203", "2999-12-31", "2024-02-03T00:00"]
            let day = random.one(of: days)
            return edited(body, &random) { record, _, _ in record.set("date", .string(day)) }
        }
    }

    private func replaced(_ body: [UInt8], with value: JSON, _ random: inout SeededRandom) -> [UInt8] {
        edited(body, &random) { record, name, _ in record.set(name, value) }
    }

    /// The body with one of its objects changed by `edit`, which receives the name of a random field. The body keeps
    /// its shape.
    private func edited(
        _ body: [UInt8], _ random: inout SeededRandom, _ edit: (inout Record, String, inout SeededRandom) -> Void
    ) -> [UInt8] {
        guard var records = try? Record.list(parsing: body), !records.isEmpty else { return body }
        let index = random.below(records.count)
        guard !records[index].isEmpty else { return body }
        edit(&records[index], random.one(of: records[index].names), &random)
        guard body.first == UInt8(ascii: "[") else { return records[0].line }
        return [UInt8(ascii: "[")] + records.map(\.line).joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }
}
