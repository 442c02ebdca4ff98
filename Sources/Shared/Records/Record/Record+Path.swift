import Support

/// Paths in records. A path in UTF-8 is a string; any other path is Base64 in a field with the suffix `_base64`.
extension Record {
    public func hasPath(_ name: FieldPath) -> Bool { string(name) != nil || string(name.base64) != nil }

    /// Returns the path, or nil if the record has none. Throws `InputFailure.notAPath`.
    public func path(_ name: FieldPath) throws(InputFailure) -> String? {
        let bytes: [UInt8]
        if let text = string(name) {
            bytes = Array(text.utf8)
        } else if let text = string(name.base64) {
            guard let decoded = Base64.decoded(text) else { throw .notAPath(field: name.base64.description) }
            bytes = decoded
        } else {
            return nil
        }
        guard !bytes.contains(0) else { throw .notAPath(field: name.description) }
        return String(pathBytes: bytes)
    }

    public mutating func setPath(_ name: String, _ path: String) {
        set([name: .text(ofPath: path), FieldPath.base64(name): .base64(ofPath: path)])
    }

    public mutating func removePath(_ name: String) { set([name: nil, FieldPath.base64(name): nil]) }

    /// Returns the bytes of `printable(path)`. If a field `path` or `file` is not UTF-8, decodes its Base64 field.
    func printableBytes(_ path: FieldPath) -> [UInt8]? {
        if let text = printable(path) { return Array(text.utf8) }
        guard let last = path.components.last, last == "path" || last == "file" else { return nil }
        return string(path.base64).flatMap(Base64.decoded)
    }
}

extension JSON {
    /// Returns the value of the text field, or nil if the path is not UTF-8.
    public static func text(ofPath path: String) -> JSON? { path.utf8Path.map(JSON.string) }

    /// Returns the value of the Base64 field, or nil if the path is UTF-8.
    public static func base64(ofPath path: String) -> JSON? {
        path.utf8Path == nil ? .string(Base64.encoded(path.pathBytes)) : nil
    }
}

extension FieldPath {
    fileprivate var base64: FieldPath { FieldPath(stringLiteral: Self.base64(description)) }

    fileprivate static func base64(_ name: String) -> String { name + "_base64" }
}
