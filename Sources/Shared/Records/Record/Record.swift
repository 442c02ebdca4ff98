/// One JSON object, as it was read: every field keeps its name, order and value byte for byte, and only fields that are
/// `set` change.
///
/// White space that holds a line break is dropped on reading, so that a record is one line; all other bytes stay.
public struct Record: Sendable, Equatable {
    /// The object's bytes, on one line, without a line end.
    public private(set) var line: [UInt8]
    private var fields: [JSONField]

    /// An object without fields.
    public init() {
        line = Array("{}".utf8)
        fields = []
    }

    /// For the reader, which has already looked at the bytes.
    init(line: [UInt8], fields: [JSONField]) {
        self.line = line
        self.fields = fields
    }

    public static func == (a: Record, b: Record) -> Bool { a.line == b.line }

    public var isEmpty: Bool { fields.isEmpty }

    /// How many bytes of memory the record takes: its own, and those of the list of its fields.
    var footprint: Int { line.count + fields.count * MemoryLayout<JSONField>.stride }

    /// The names of the fields in order.
    public var names: [String] { fields.compactMap { JSONBytes.string(line[$0.key]) } }

    // MARK: Reading

    /// Whether there is a field of this name, whatever its value.
    public func has(_ name: String) -> Bool { index(of: name) != nil }

    /// The value at `path` as it was written; nil if there is none.
    public func raw(_ path: FieldPath) -> ArraySlice<UInt8>? {
        if let index = index(of: path.description) { return line[fields[index].value] }
        // Most paths lead nowhere in most records, which shows at the first step.
        guard let dot = path.description.utf8.firstIndex(of: UInt8(ascii: ".")),
            let first = index(of: String(path.description[..<dot]))
        else { return nil }
        var value = line[fields[first].value]
        for step in path.steps.dropFirst() {
            guard let inner = JSONBytes.member(String(step), of: value) else { return nil }
            value = inner
        }
        return value
    }

    /// The text at `path`; nil if there is no string.
    public func string(_ path: FieldPath) -> String? { raw(path).flatMap(JSONBytes.string) }

    /// The text at `path`, or the texts of the array there; none if there is neither. What is no string in an array is
    /// left out.
    public func strings(_ path: FieldPath) -> [String] {
        guard let raw = raw(path) else { return [] }
        if let text = JSONBytes.string(raw) { return [text] }
        var texts: [String] = []
        JSONBytes.forEachElement(of: raw) { element in
            if let text = JSONBytes.string(element) { texts.append(text) }
            return true
        }
        return texts
    }

    /// The whole number at `path`; nil if there is none that fits.
    public func integer(_ path: FieldPath) -> Int? { raw(path).flatMap { Int(String(decoding: $0, as: UTF8.self)) } }

    /// The truth value at `path`; nil if there is none.
    public func bool(_ path: FieldPath) -> Bool? {
        switch raw(path).map({ String(decoding: $0, as: UTF8.self) }) {
        case "true": true
        case "false": false
        default: nil
        }
    }

    /// The value at `path` as a shell wants it: a string's text, anything else as JSON; nil if it is missing or
    /// `null`.
    public func printable(_ path: FieldPath) -> String? {
        guard let raw = raw(path), raw.first != UInt8(ascii: "n") else { return nil }
        return JSONBytes.string(raw) ?? String(decoding: raw, as: UTF8.self)
    }

    // MARK: Changing

    /// Gives the field `name` this value: in the place of an older one, else behind the last field. Cost: O(record).
    public mutating func set(_ name: String, _ value: JSON) { set([name: value]) }

    /// Takes the field `name` away, every time that it stands there. Cost: O(record).
    public mutating func remove(_ name: String) { set([name: nil]) }

    /// Gives each of these fields its value, or takes it away if that is nil, as `set` and `remove` do one by one. No
    /// name may stand there twice. Cost: O(record), however many they are.
    public mutating func set(_ changes: KeyValuePairs<String, JSON?>) {
        var edits: [(field: Int, value: JSON?)] = []
        var added: [(name: String, value: JSON)] = []
        for (name, value) in changes {
            if let last = index(of: name) {
                if let value {
                    edits.append((last, value))
                } else {
                    withNameTest(name) { isNamed in edits += fields.indices.filter(isNamed).map { ($0, nil) } }
                }
            } else if let value {
                added.append((name, value))
            }
        }
        if edits.isEmpty, added.isEmpty { return }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(line.count + 1024)
        let end = fields.last?.value.upperBound ?? line.count - 1
        if edits.isEmpty { bytes += line[..<end] } else { rewriteFields(edits, into: &bytes) }
        for (name, value) in added {
            if !fields.isEmpty { bytes.append(UInt8(ascii: ",")) }
            let start = bytes.count
            JSON.string(name).write(to: &bytes)
            let keyEnd = bytes.count
            bytes.append(UInt8(ascii: ":"))
            value.write(to: &bytes)
            fields.append(JSONField(key: start..<keyEnd, value: keyEnd + 1..<bytes.count))
        }
        bytes += line[end...]
        line = bytes
    }

    /// Writes what comes before the fields, and the fields as they become, which `fields` then describes.
    private mutating func rewriteFields(_ edits: [(field: Int, value: JSON?)], into bytes: inout [UInt8]) {
        var kept: [JSONField] = []
        kept.reserveCapacity(fields.count)
        bytes += line[..<fields[0].key.lowerBound]
        for (index, field) in fields.enumerated() {
            let edit = edits.first { $0.field == index }
            if let edit, edit.value == nil { continue }
            // Each field but the first keeps the comma and the blanks before it.
            let start = kept.isEmpty ? field.key.lowerBound : fields[index - 1].value.upperBound
            let delta = bytes.count - start
            bytes += line[start..<field.value.lowerBound]
            let valueStart = bytes.count
            if let value = edit?.value { value.write(to: &bytes) } else { bytes += line[field.value] }
            kept.append(
                JSONField(
                    key: field.key.lowerBound + delta..<field.key.upperBound + delta, value: valueStart..<bytes.count))
        }
        fields = kept
    }

    /// The last field of that name: where one stands twice, most readers take the last.
    private func index(of name: String) -> Int? {
        withNameTest(name) { isNamed in fields.indices.last(where: isNamed) }
    }

    /// Runs `body` with what tells whether the field at an index has this name.
    private func withNameTest<Result>(_ name: String, _ body: ((Int) -> Bool) -> Result) -> Result {
        var name = name
        return name.withUTF8 { wanted in
            line.withUnsafeBufferPointer { bytes in
                body { Self.isName(UnsafeBufferPointer(rebasing: bytes[fields[$0].key]), wanted) }
            }
        }
    }

    /// Whether a field's key, quotes included, is this name, however it is escaped: an escaped form is always longer.
    private static func isName(_ key: UnsafeBufferPointer<UInt8>, _ wanted: UnsafeBufferPointer<UInt8>) -> Bool {
        if key.count == wanted.count + 2 {
            for index in wanted.indices where key[index + 1] != wanted[index] { return false }
            return true
        }
        guard key.count > wanted.count + 2, key.contains(UInt8(ascii: "\\")) else { return false }
        return JSONBytes.string(Array(key)[...])?.utf8.elementsEqual(wanted) ?? false
    }
}
