/// One JSON object, as it was read: every field keeps its name, order and value byte for byte, and only fields that are
/// `set` change.
///
/// White space that holds a line break is dropped on reading, so that a record is one line; all other bytes stay.
public struct Record: Sendable, Equatable {
    /// Where a field's name (quotes included) and value lie in the record's bytes.
    struct Field: Sendable, Equatable {
        var key: Range<Int>
        var value: Range<Int>
    }

    /// The object's bytes, on one line, without a line end.
    public private(set) var line: [UInt8]
    private var fields: [Field]

    /// An object without fields.
    public init() {
        line = Array("{}".utf8)
        fields = []
    }

    /// Reads bytes that hold exactly one object, blanks around it aside. Throws `InputFailure`.
    public init(parsing bytes: some Collection<UInt8>) throws {
        var list = try Self.list(parsing: Array(bytes))
        guard list.count == 1 else { throw InputFailure.notOneObject(count: list.count) }
        self = list.removeLast()
    }

    /// Reads bytes that hold objects in any of the layouts of a stream: one, several, or an array of them. Throws
    /// `InputFailure` at the first thing that is not an object.
    public static func list(parsing bytes: [UInt8]) throws -> [Record] {
        let reader = RecordReader(bytes: bytes)
        var records: [Record] = []
        while let item = try reader.next() {
            switch item {
            case .record(let record): records.append(record)
            case .bad(let failure): throw failure
            }
        }
        return records
    }

    /// For the reader, which has already looked at the bytes.
    init(line: [UInt8], fields: [Field]) {
        self.line = line
        self.fields = fields
    }

    public static func == (a: Record, b: Record) -> Bool { a.line == b.line }

    public var isEmpty: Bool { fields.isEmpty }

    /// How many bytes of memory the record takes: its own, and those of the list of its fields.
    var footprint: Int { line.count + fields.count * MemoryLayout<Field>.stride }

    /// The names of the fields in order.
    public var names: [String] { fields.compactMap { JSONBytes.string(line[$0.key]) } }

    // MARK: Reading

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

    /// The whole number at `path`; nil if there is none that fits.
    public func integer(_ path: FieldPath) -> Int? { raw(path).flatMap { Int(String(decoding: $0, as: UTF8.self)) } }

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
    public mutating func set(_ name: String, _ value: JSON) {
        let bytes = value.bytes
        if let index = index(of: name) {
            line.replaceSubrange(fields[index].value, with: bytes)
            let delta = bytes.count - fields[index].value.count
            fields[index].value = fields[index].value.lowerBound..<fields[index].value.upperBound + delta
            for later in fields.indices where later > index { fields[later].shift(by: delta) }
            return
        }
        var insertion: [UInt8] = fields.isEmpty ? [] : [UInt8(ascii: ",")]
        let place = fields.last?.value.upperBound ?? line.count - 1
        let keyStart = place + insertion.count
        JSON.string(name).write(to: &insertion)
        let keyEnd = place + insertion.count
        insertion.append(UInt8(ascii: ":"))
        insertion += bytes
        line.insert(contentsOf: insertion, at: place)
        fields.append(Field(key: keyStart..<keyEnd, value: keyEnd + 1..<keyEnd + 1 + bytes.count))
    }

    /// Takes the field `name` away, every time that it stands there. Cost: O(record).
    public mutating func remove(_ name: String) {
        let removed = withNameTest(name) { isNamed in fields.indices.filter(isNamed) }
        if removed.isEmpty { return }
        var kept: [Field] = []
        var bytes: [UInt8] = []
        kept.reserveCapacity(fields.count - removed.count)
        bytes.reserveCapacity(line.count)
        bytes += line[..<fields[0].key.lowerBound]
        var next = removed[...]
        for index in fields.indices {
            if next.first == index {
                next.removeFirst()
                continue
            }
            var field = fields[index]
            // Each field but the first keeps the comma and the blanks before it.
            let start = kept.isEmpty ? field.key.lowerBound : fields[index - 1].value.upperBound
            field.shift(by: bytes.count - start)
            bytes += line[start..<fields[index].value.upperBound]
            kept.append(field)
        }
        bytes += line[fields[fields.count - 1].value.upperBound...]
        line = bytes
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

extension Record.Field {
    mutating func shift(by delta: Int) {
        key = key.lowerBound + delta..<key.upperBound + delta
        value = value.lowerBound + delta..<value.upperBound + delta
    }
}
