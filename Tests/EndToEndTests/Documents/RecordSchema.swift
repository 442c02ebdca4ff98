import Records
import TestSupport

/// Validates records against `docs/record.schema.json`, with the subset of JSON Schema (2020-12) that the file uses.
///
/// The check is stricter than the schema: an object with `properties` and without `additionalProperties` may have no
/// other properties. So a tool cannot add undescribed fields, while consumers that use the schema accept the fields of
/// later versions.
struct RecordSchema: Sendable {
    private let root: Record

    init(_ text: String) throws { root = try Record(parsing: Array(text.utf8)) }

    static let published = Result {
        try RecordSchema(TestFile.text("\(Corpus.packageRoot)/docs/record.schema.json"))
    }

    /// Returns the faults of a record; empty if it is valid.
    func faults(of record: Record) throws -> [String] {
        var whole = Record()
        whole.set("record", .raw(record.line))
        return try faults("record", of: whole, root)
    }

    /// Returns the first fault in lines that begin with `{`; nil if all are valid. Skips long lines and lines that are
    /// not JSON.
    func fault(ofLinesIn bytes: [UInt8]) throws -> String? {
        for line in bytes.split(separator: UInt8(ascii: "\n"))
        where line.first == UInt8(ascii: "{") && line.count < 65_536 {
            guard let record = try? Record(parsing: line) else { continue }
            if let fault = try faults(of: record).first { return "\(fault) in \(record.text)" }
        }
        return nil
    }

    /// - Parameter place: the name of a field of `parent`, or `name.index` for an element of an array.
    private func faults(_ place: String, of parent: Record, _ schema: Record) throws -> [String] {
        for keyword in schema.names where !Self.keywords.contains(keyword) {
            throw BrokenClaim("the tests do not support the keyword \(keyword)")
        }
        if let reference = schema.string("$ref") {
            return try faults(
                place, of: parent, self.schema("$defs." + reference.dropFirst("#/$defs/".count), of: root))
        }
        let path = FieldPath(stringLiteral: place)
        guard let raw = parent.raw(path) else { return ["\(place) is missing"] }
        if schema.raw("anyOf") != nil {
            let branches = try (0...).prefix { schema.raw(FieldPath(stringLiteral: "anyOf.\($0)")) != nil }
                .map { try faults(place, of: parent, self.schema("anyOf.\($0)", of: schema)) }
            return branches.min { $0.count < $1.count } ?? []
        }
        var found: [String] = []
        if let type = schema.string("type"), !Self.isOf(type, raw) { return ["\(place) is no \(type)"] }
        let words = schema.strings("enum")
        if !words.isEmpty, !words.contains(parent.string(path) ?? "") { found.append("\(place) is none of \(words)") }
        if let least = schema.integer("minimum"), parent.integer(path).map({ $0 < least }) ?? false {
            found.append("\(place) is less than \(least)")
        }
        if schema.raw("items") != nil {
            let items = try self.schema("items", of: schema)
            for index in (0...).prefix(while: { parent.raw(FieldPath(stringLiteral: "\(place).\($0)")) != nil }) {
                found += try faults("\(place).\(index)", of: parent, items)
            }
        }
        if raw.first == UInt8(ascii: "{") {
            found += try faults(ofObject: Record(parsing: raw), schema).map { "\(place).\($0)" }
        }
        return found
    }

    private func faults(ofObject object: Record, _ schema: Record) throws -> [String] {
        let names = object.names
        var found = schema.strings("required").filter { !names.contains($0) }.map { "\($0) is missing" }
        for name in names {
            let isDescribed = schema.raw(FieldPath(stringLiteral: "properties.\(name)")) != nil
            if isDescribed {
                found += try faults(name, of: object, self.schema("properties.\(name)", of: schema))
            } else if schema.raw("additionalProperties")?.first == UInt8(ascii: "{") {
                found += try faults(name, of: object, self.schema("additionalProperties", of: schema))
            } else if schema.raw("properties") != nil, schema.bool("additionalProperties") != true {
                found.append("\(name) is not described")
            }
            if schema.raw(FieldPath(stringLiteral: "dependentSchemas.\(name)")) != nil {
                var whole = Record()
                whole.set("day", .raw(object.line))
                found += try faults("day", of: whole, self.schema("dependentSchemas.\(name)", of: schema))
            }
        }
        return found
    }

    private func schema(_ path: String, of schema: Record) throws -> Record {
        guard let raw = schema.raw(FieldPath(stringLiteral: path)) else { throw BrokenClaim("no schema \(path)") }
        return try Record(parsing: raw)
    }

    private static let keywords: Set = [
        "$schema", "title", "description", "$defs", "$ref", "type", "properties", "additionalProperties", "required",
        "enum", "items", "minimum", "anyOf", "dependentSchemas",
    ]

    private static func isOf(_ type: String, _ raw: ArraySlice<UInt8>) -> Bool {
        switch raw.first {
        case UInt8(ascii: "{"): type == "object"
        case UInt8(ascii: "["): type == "array"
        case UInt8(ascii: "\""): type == "string"
        case UInt8(ascii: "t"), UInt8(ascii: "f"): type == "boolean"
        case UInt8(ascii: "n"): type == "null"
        default: type == "number" || type == "integer" && Int(String(decoding: raw, as: UTF8.self)) != nil
        }
    }
}
