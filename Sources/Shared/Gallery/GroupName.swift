import Articles
import Records

/// The name of a group of pictures: a tag, or the title of an album. Names are compared as bytes, because their paths
/// differ even if Unicode treats the names as equivalent.
struct GroupName: Sendable, Hashable {
    let text: String

    /// The maximum length in bytes. Longer texts are not names.
    private static let maxLength = 256

    /// Returns nil for an empty or a long text.
    init?(_ text: String) {
        let text = PlainText.folded(text)
        guard (1...Self.maxLength).contains(text.utf8.count) else { return nil }
        self.text = text
    }

    /// Returns the distinct names among texts.
    static func names(_ texts: [String]) -> [GroupName] {
        var names: [GroupName] = []
        for text in texts {
            guard names.count < GallerySettings.maxGroups else { break }
            if let name = GroupName(text), !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// Returns the value of the field `groups` of a record, or nil without names.
    static func value(_ names: [GroupName]) -> JSON? {
        names.isEmpty ? nil : .array(names.map { .string($0.text) })
    }

    static func == (a: GroupName, b: GroupName) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
