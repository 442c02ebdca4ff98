import Support

/// Paths in records: text where they are UTF-8, as nearly all are; else their bytes as Base64, in a field of the same
/// name with `_base64` behind it, instead.
extension Record {
    /// Whether there is a path under this name, in either form.
    public func hasPath(_ name: FieldPath) -> Bool { string(name) != nil || string(name.base64) != nil }

    /// The path under this name, in either form; nil if there is none. Throws `InputFailure.notAPath` for one that can
    /// be no file's.
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

    /// Gives the field `name` this path, or that for its bytes, and takes the other one away.
    public mutating func setPath(_ name: String, _ path: String) {
        set([name: .text(ofPath: path), FieldPath.base64(name): .base64(ofPath: path)])
    }

    /// Takes away the path under this name, in either form.
    public mutating func removePath(_ name: String) {
        set([name: nil, FieldPath.base64(name): nil])
    }

    /// The bytes of what is at `path` as a shell wants it: as `printable`, and of a `path` or `file` that is not UTF-8
    /// the path itself.
    func printableBytes(_ path: FieldPath) -> [UInt8]? {
        if let text = printable(path) { return Array(text.utf8) }
        guard let last = path.steps.last, last == "path" || last == "file" else { return nil }
        return string(path.base64).flatMap(Base64.decoded)
    }
}

extension JSON {
    /// The value of a path's own field; nil for one that is not UTF-8, which `base64(ofPath:)` is for.
    public static func text(ofPath path: String) -> JSON? { path.utf8Path.map(JSON.string) }

    /// The value of a path's field for bytes; nil for one that is UTF-8.
    public static func base64(ofPath path: String) -> JSON? {
        path.utf8Path == nil ? .string(Base64.encoded(path.pathBytes)) : nil
    }
}

extension FieldPath {
    /// The field that has a path's bytes.
    fileprivate var base64: FieldPath { FieldPath(stringLiteral: Self.base64(description)) }

    fileprivate static func base64(_ name: String) -> String { name + "_base64" }
}
