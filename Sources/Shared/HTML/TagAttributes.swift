import CGumbo

/// The attributes of a tag. Valid while the parser's tree is.
struct TagAttributes {
    private let vector: GumboVector

    init(_ vector: GumboVector) { self.vector = vector }

    /// Returns the decoded value of an attribute, whose name is in lower case; nil if there is none. Of duplicate
    /// attributes the first counts.
    subscript(_ name: String) -> String? { list.first { $0.name == name }?.value }

    /// The names, in lower case, with their values.
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
