/// A JSON object that preserves the name, position and bytes of every field, except fields that are `set` or removed.
///
/// Parsing removes white space that contains a line break, so a record is always one line.
public struct Record: Sendable, Equatable {
    /// The serialized object, without a line terminator.
    public private(set) var line: [UInt8]
    private var fields: [JSONField]

    public init() {
        line = Array("{}".utf8)
        fields = []
    }

    /// Used by `RecordReader`, which has already scanned the bytes.
    init(line: [UInt8], fields: [JSONField]) {
        self.line = line
        self.fields = fields
    }

    public static func == (a: Record, b: Record) -> Bool { a.line == b.line }

    public var isEmpty: Bool { fields.isEmpty }

    /// Memory use in bytes.
    var footprint: Int { line.count + fields.count * MemoryLayout<JSONField>.stride }

    public var names: [String] { fields.compactMap { JSONBytes.string(line[$0.key]) } }

    // MARK: Reading

    public func has(_ name: String) -> Bool { index(of: name) != nil }

    /// Returns the JSON of the value as written, or nil if there is none.
    public func raw(_ path: FieldPath) -> ArraySlice<UInt8>? {
        if let index = index(of: path.description) { return line[fields[index].value] }
        // Most lookups fail at the first component, so check it before splitting the path.
        guard let dot = path.description.utf8.firstIndex(of: UInt8(ascii: ".")),
            let first = index(of: String(path.description[..<dot]))
        else { return nil }
        var value = line[fields[first].value]
        for component in path.components.dropFirst() {
            guard let inner = JSONBytes.member(String(component), of: value) else { return nil }
            value = inner
        }
        return value
    }

    public func string(_ path: FieldPath) -> String? { raw(path).flatMap(JSONBytes.string) }

    /// Returns the string at `path`, or the strings in an array. Ignores values of other types.
    public func strings(_ path: FieldPath) -> [String] { values(path, JSONBytes.string) }

    /// Returns the string or number at `path` as text, or the strings and numbers in an array. Ignores values of other
    /// types.
    public func texts(_ path: FieldPath) -> [String] {
        values(path) { value in
            if let text = JSONBytes.string(value) { return text }
            let isNumber = value.first.map { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) } == true
            return isNumber ? String(decoding: value, as: UTF8.self) : nil
        }
    }

    /// Reads the value at `path`, or the elements of an array, and returns the results that are not nil.
    private func values(_ path: FieldPath, _ read: (ArraySlice<UInt8>) -> String?) -> [String] {
        guard let raw = raw(path) else { return [] }
        if let text = read(raw) { return [text] }
        var texts: [String] = []
        JSONBytes.forEachElement(of: raw) { element in
            if let text = read(element) { texts.append(text) }
            return true
        }
        return texts
    }

    /// Returns the integer at `path`, or nil if the value is not an integer or does not fit.
    public func integer(_ path: FieldPath) -> Int? { raw(path).flatMap { Int(String(decoding: $0, as: UTF8.self)) } }

    public func bool(_ path: FieldPath) -> Bool? {
        switch raw(path).map({ String(decoding: $0, as: UTF8.self) }) {
        case "true": true
        case "false": false
        default: nil
        }
    }

    /// Returns the value in the form that shell scripts expect: the text of a string, or the JSON of any other value.
    /// Nil if missing or `null`.
    public func printable(_ path: FieldPath) -> String? {
        guard let raw = raw(path), raw.first != UInt8(ascii: "n") else { return nil }
        return JSONBytes.string(raw) ?? String(decoding: raw, as: UTF8.self)
    }

    // MARK: Changing

    public mutating func set(_ name: String, _ value: JSON) { set([name: value]) }

    /// Removes every field with this name.
    public mutating func remove(_ name: String) { set([name: nil]) }

    /// Replaces or appends each field, or removes it if its value is nil. Names must be distinct. Cost: one pass over
    /// the record.
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

    /// Appends `line` up to the end of its last field, with the edits applied, to `bytes`, and updates `fields`.
    private mutating func rewriteFields(_ edits: [(field: Int, value: JSON?)], into bytes: inout [UInt8]) {
        var kept: [JSONField] = []
        kept.reserveCapacity(fields.count)
        bytes += line[..<fields[0].key.lowerBound]
        for (index, field) in fields.enumerated() {
            let edit = edits.first { $0.field == index }
            if let edit, edit.value == nil { continue }
            // Every field but the first keeps the comma and white space before it.
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

    /// Returns the index of the last field with this name: most JSON parsers use the last of duplicate fields.
    private func index(of name: String) -> Int? {
        withNameTest(name) { isNamed in fields.indices.last(where: isNamed) }
    }

    /// Calls `body` with a function that returns whether the field at an index of `fields` has this name.
    private func withNameTest<Result>(_ name: String, _ body: ((Int) -> Bool) -> Result) -> Result {
        var name = name
        return name.withUTF8 { wanted in
            line.withUnsafeBufferPointer { bytes in
                body { Self.isName(UnsafeBufferPointer(rebasing: bytes[fields[$0].key]), wanted) }
            }
        }
    }

    /// Whether a key, which includes its quotes, is this name. A key with escapes is always longer than its name.
    private static func isName(_ key: UnsafeBufferPointer<UInt8>, _ wanted: UnsafeBufferPointer<UInt8>) -> Bool {
        if key.count == wanted.count + 2 {
            for index in wanted.indices where key[index + 1] != wanted[index] { return false }
            return true
        }
        guard key.count > wanted.count + 2, key.contains(UInt8(ascii: "\\")) else { return false }
        return JSONBytes.string(Array(key)[...])?.utf8.elementsEqual(wanted) ?? false
    }
}
