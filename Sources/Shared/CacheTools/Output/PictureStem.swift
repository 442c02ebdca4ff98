import Records
import Support

/// The `{stem}` of a picture's name: its file name without the extension.
public enum PictureStem {
    /// Returns the stem of a cached picture from its address or its printed key, or nil if there is none.
    public static func ofCached(url: String?, key: String?) -> String? {
        let kind = key?.prefix(before: ":")
        let name = String(key?.dropFirst((kind?.count ?? 0) + 1) ?? "")
        // The address of a GIF does not contain the id of its exercise, but its key does.
        if kind == "exercisedb" { return name.split(separator: "@").first.map(String.init) }
        if let url { return ofAddress(url) }
        return kind == "key" ? name : key.flatMap(ofAddress)
    }

    /// Returns the stem of a record's cached picture.
    public static func ofCached(_ record: Record) -> String? {
        ofCached(url: record.string("cache.url"), key: record.string("cache.key"))
    }

    /// Returns the name of a file without its folder and extension.
    public static func ofFile(_ path: String) -> String {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map(Substring.init) ?? path[...]
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return String(name) }
        return String(name[..<dot])
    }

    /// Returns the last component of an address's path without its extension, or the host if the path is empty.
    private static func ofAddress(_ text: String) -> String? {
        let address = Substring(text.utf8.prefix { !"?#".utf8.contains($0) })
        guard let slashes = address.slashesOfAuthority else { return nil }
        let path = address.utf8[slashes.upperBound...]
        let names = path.split { "/\\".utf8.contains($0) }
        guard let last = names.last else { return nil }
        let hasHost = path.first != UInt8(ascii: "/")
        if hasHost, names.count == 1 { return String(Substring(last)) }
        let name = String(pathBytes: PercentEncoding.decoded(Array(last)[...]))
        return ofFile(name.unicodeScalars.contains("/") ? name.replacing(text: "/", with: "_") : name)
    }
}
