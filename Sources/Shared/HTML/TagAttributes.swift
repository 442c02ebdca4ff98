import CGumbo

/// The attributes of a tag. Valid only while the parser's tree exists.
struct TagAttributes {
    private let vector: GumboVector

    init(_ vector: GumboVector) { self.vector = vector }

    /// Returns the decoded value of an attribute, or nil if the tag has no such attribute. If the attribute occurs
    /// several times, returns the first value. `name` must be in lower case.
    subscript(_ name: String) -> String? { list.first { $0.name == name }?.value }

    /// The values of the attributes, by names in lower case.
    var dictionary: [String: String] {
        Dictionary(list.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    private var list: [(name: String, value: String)] {
        (0..<Int(vector.length)).compactMap { index in
            guard let pointer = vector.data[index]?.assumingMemoryBound(to: GumboAttribute.self),
                let name = pointer.pointee.name, let value = pointer.pointee.value
            else { return nil }
            return (String(cString: name), String(cString: value))
        }
    }
}
