extension StringProtocol {
    /// The first `://` of the text. Either slash may be a backslash, as in web addresses. Fast, since each argument of each
    /// run is searched.
    package var slashesOfAuthority: Range<String.Index>? {
        var rest = utf8[...]
        while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            rest = rest[rest.index(after: colon)...]
            let slashes = rest.prefix(2)
            if slashes.count == 2, slashes.allSatisfy({ "/\\".utf8.contains($0) }) { return colon..<slashes.endIndex }
        }
        return nil
    }
}

extension [UInt8] {
    /// The address with slashes in place of the backslashes before query and fragment, as browsers read addresses of the
    /// web (WHATWG URL, *special*). So `http://a\@b` names the host `a`, there and here.
    package var withSlashes: [UInt8] {
        let backslash = UInt8(ascii: "\\")
        guard contains(backslash) else { return self }
        let end = firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? endIndex
        return self[..<end].map { $0 == backslash ? UInt8(ascii: "/") : $0 } + self[end...]
    }
}
