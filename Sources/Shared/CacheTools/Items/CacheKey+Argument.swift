import HTTP
import Store
import Support

extension CacheKey {
    /// A key as it was printed that is not an address; nil for any other text.
    init?(argument text: String) throws {
        if text.utf8.starts(with: Self.namePrefix.utf8) {
            try self.init(name: text)
        } else if text.utf8.starts(with: "file:///".utf8) {
            // Also as people write it, and as it was printed before its bytes were encoded.
            try self.init(printed: "file://" + PercentEncoding.completed(path: Array(text.pathBytes.dropFirst(7))))
        } else if Self.isOfTool(text) {
            try self.init(printed: text)
        } else {
            return nil
        }
    }

    /// Returns the keys that a name may mean where something is looked up: the key that it was printed as, since a
    /// listing's keys lead back to its entries, or else the user's own. Throws `CacheFailure.badKey`.
    static func meant(by name: String) throws -> [CacheKey] {
        if let key = try CacheKey(argument: name) ?? (name.hasScheme ? CacheKey(printed: name) : nil) {
            let own = try? CacheKey(name: name)
            return [key] + [own].compactMap(\.self).filter { $0 != key }
        }
        return [try CacheKey(name: name)]
    }
}
