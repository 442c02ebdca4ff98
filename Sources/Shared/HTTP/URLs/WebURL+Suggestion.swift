extension WebURL {
    /// Returns the address that a text is without its scheme, such as `example.org/m31.jpg`; nil if it begins with no
    /// domain, or has no path.
    public static func address(withoutScheme text: String) -> String? {
        let bytes = text.utf8
        guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let labels = bytes[..<slash].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
        guard labels.count > 1, !labels.contains(where: \.isEmpty), let top = labels.last, top.count > 1,
            top.allSatisfy(isLetter), bytes.index(after: slash) != bytes.endIndex
        else { return nil }
        let address = "https://" + text
        return (try? WebURL(address)) == nil ? nil : address
    }
}
