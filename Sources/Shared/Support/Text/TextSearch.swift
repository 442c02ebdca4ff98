// The standard library has these functions in its regular-expression module, which adds a megabyte to each tool.
extension StringProtocol {
    /// Whether this text contains `text`, byte for byte.
    public func contains(text: String) -> Bool { String(self).place(of: text) != nil }
}

extension String {
    /// Returns the part before the first `separator`, or nil if there is none.
    public func prefix(before separator: String) -> Substring? {
        place(of: separator).map { self[..<utf8.index(startIndex, offsetBy: $0)] }
    }

    /// Replaces every occurrence of `text`, from left to right, byte for byte. Replaces nothing if `text` is empty.
    public func replacing(text: String, with other: String) -> String {
        if text.isEmpty { return self }
        var result = ""
        var rest = self
        while let place = rest.place(of: text) {
            result += String(decoding: rest.utf8.prefix(place), as: UTF8.self) + other
            rest = String(decoding: rest.utf8.dropFirst(place + text.utf8.count), as: UTF8.self)
        }
        return result + rest
    }

    /// Returns the byte offset of the first occurrence of `text`. Cost: O(n·m), for texts of a few lines.
    fileprivate func place(of text: String) -> Int? {
        var (whole, part) = (self, text)
        return whole.withUTF8 { whole in
            part.withUTF8 { part in
                var start = 0
                while start + part.count <= whole.count {
                    var length = 0
                    while length < part.count, whole[start + length] == part[length] { length += 1 }
                    if length == part.count { return start }
                    start += 1
                }
                return nil
            }
        }
    }
}
