import CGumbo

/// The attributes of a tag, read only if somebody asks for them.
enum TagAttributes {
    /// Those of the parser's tree.
    case parsed(GumboVector)
    /// Those in the source, behind the tag's name.
    case source(TagScanner)

    /// Returns the value of an attribute, its references decoded; nil if there is none of the name. Of an attribute that
    /// stands twice the first counts.
    ///
    /// - Parameter name: in small letters.
    subscript(_ name: String) -> String? {
        switch self {
        case .parsed(let vector):
            return Self.list(vector).first { $0.name == name }?.value
        case .source(var scanner):
            while let attribute = scanner.nextAttribute() {
                let found = scanner.bytes[attribute.name].lazy.map(\.lowercased)
                if found.elementsEqual(name.utf8) {
                    return attribute.value.map { Self.decoded(scanner.bytes[$0]) } ?? ""
                }
            }
            return nil
        }
    }

    /// All names, in small letters, with their values; empty for those of the source.
    var dictionary: [String: String] {
        guard case .parsed(let vector) = self else { return [:] }
        return Dictionary(Self.list(vector).map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    private static func list(_ vector: GumboVector) -> [(name: String, value: String)] {
        (0..<Int(vector.length)).compactMap { index in
            guard let pointer = vector.data[index]?.assumingMemoryBound(to: GumboAttribute.self),
                let name = pointer.pointee.name, let value = pointer.pointee.value
            else { return nil }
            return (String(cString: name), String(cString: value))
        }
    }

    /// In an attribute, an ampersand that begins no whole reference means itself.
    private static func decoded(_ value: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        let bytes = UnsafeBufferPointer(rebasing: value)
        var text: [UInt8] = []
        var place = 0
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: "&"), let reference = SimpleHTML.reference(in: bytes, at: place) {
                text += reference.text
                place += reference.length
            } else {
                text.append(bytes[place])
                place += 1
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
