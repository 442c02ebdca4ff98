// The standard library has these in the module of regular expressions, a megabyte that no tool needs otherwise.
extension StringProtocol {
    /// Whether `text` occurs in it, byte for byte. Cost: O(n·m), no memory.
    public func contains(text: String) -> Bool { utf8.place(of: text.utf8) != nil }

    /// Returns what stands before the first `separator`; nil if there is none.
    public func prefix(before separator: String) -> SubSequence? { utf8.place(of: separator.utf8).map { self[..<$0] } }
}

extension String {
    /// The string with every occurrence of `text` replaced, from left to right, byte for byte. No text occurs nowhere.
    public func replacing(text: String, with other: String) -> String {
        if text.isEmpty { return self }
        var result = ""
        var rest = utf8[...]
        while let place = rest.place(of: text.utf8) {
            result += String(Substring(rest[..<place])) + other
            rest = rest[rest.index(place, offsetBy: text.utf8.count)...]
        }
        return result + String(Substring(rest))
    }
}

extension Collection where Element == UInt8 {
    /// Where `other` first begins in it.
    fileprivate func place(of other: some Collection<UInt8>) -> Index? {
        var start = startIndex
        while true {
            if self[start...].starts(with: other) { return start }
            if start == endIndex { return nil }
            formIndex(after: &start)
        }
    }
}
