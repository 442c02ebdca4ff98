import Store
import Support

extension CacheKey {
    /// Parses a printed key that is not an address. Returns nil for other texts.
    init?(argument text: String) throws {
        if text.utf8.starts(with: Self.namePrefix.utf8) {
            try self.init(name: text)
        } else if text.utf8.starts(with: "file:///".utf8) {
            // Also accept paths without percent-encoding, which users type and earlier versions printed.
            try self.init(printed: "file://" + PercentEncoding.completed(path: Array(text.pathBytes.dropFirst(7))))
        } else if Self.isOfTool(text) {
            try self.init(printed: text)
        } else {
            return nil
        }
    }

    /// Returns the keys that a user may mean by a name. A name that has the form of a printed key means that key first,
    /// so that keys copied from a listing find their entries. Every name that is a valid user-defined key also means
    /// this key. Throws `CacheFailure.badKey`.
    static func meant(by name: String) throws -> [CacheKey] {
        if let key = try CacheKey(argument: name) ?? (name.hasScheme ? CacheKey(printed: name) : nil) {
            let own = try? CacheKey(name: name)
            return [key] + [own].compactMap(\.self).filter { $0 != key }
        }
        return [try CacheKey(name: name)]
    }
}
