extension Substring {
    /// The first `://` of the text. Either slash may be a backslash, as browsers accept in web addresses.
    ///
    /// Avoids generic code, which looks up conformances at run time: each tool first calls this for its arguments.
    package var slashesOfAuthority: Range<String.Index>? {
        let bytes = utf8
        var place = bytes.startIndex
        while place < bytes.endIndex {
            let colon = place
            place = bytes.index(after: place)
            guard bytes[colon] == UInt8(ascii: ":") else { continue }
            var end = place
            var slashes = 0
            while slashes < 2, end < bytes.endIndex, bytes[end] == UInt8(ascii: "/") || bytes[end] == UInt8(ascii: "\\")
            {
                end = bytes.index(after: end)
                slashes += 1
            }
            if slashes == 2 { return colon..<end }
        }
        return nil
    }
}

extension String {
    package var slashesOfAuthority: Range<String.Index>? { self[...].slashesOfAuthority }
}

extension [UInt8] {
    /// The address with backslashes before query and fragment replaced by slashes, as browsers read web addresses
    /// (WHATWG URL, *special*). The host of `http://a\@b` is then `a`, as in browsers.
    package var withSlashes: [UInt8] {
        let backslash = UInt8(ascii: "\\")
        guard contains(backslash) else { return self }
        let end = firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? endIndex
        return self[..<end].map { $0 == backslash ? UInt8(ascii: "/") : $0 } + self[end...]
    }
}
