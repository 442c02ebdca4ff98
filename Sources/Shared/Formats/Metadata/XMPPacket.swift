/// An XMP packet (ISO 16684-1) in UTF-8, searched for a few properties by their usual names.
///
/// This is not an XML parser. It finds properties written as `name="value"` or `<name>value</name>`, and the first
/// `<rdf:li>` of an array in `<name>`, with the prefixes that all known programs use, such as `tiff` and `dc`. Linear:
/// reads only the first few occurrences of a name, and the beginning of a value.
public struct XMPPacket: Sendable, Hashable {
    public private(set) var bytes: [UInt8]

    /// The maximum number of occurrences of a name that are read.
    private static let placeLimit = 8
    /// The maximum number of bytes that are searched for the end of a property.
    private static let valueLimit = 16 << 10

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// `tiff:Orientation`, or `exif:Orientation`, which some programs write instead; nil without a valid value.
    public var orientation: Orientation? {
        orientationDigits.first.flatMap { Orientation(rawValue: bytes[$0] &- UInt8(ascii: "0")) }
    }

    /// The packet with every orientation set to 1. Keeps the length.
    public var upright: XMPPacket {
        var copy = self
        for place in orientationDigits { copy.bytes[place] = UInt8(ascii: "1") }
        return copy
    }

    // These properties return only the first entry of a text in several languages or of a list of names.
    public var rights: String? { text(of: "dc:rights") }
    public var creator: String? { text(of: "dc:creator") }
    public var title: String? { text(of: "dc:title") }
    public var description: String? { text(of: "dc:description", keepsLines: true) }

    /// The time when the picture was taken or created, such as `2024-02-03T10:00:00`.
    public var dateTaken: String? {
        ["exif:DateTimeOriginal", "photoshop:DateCreated", "xmp:CreateDate"].lazy.compactMap { text(of: $0) }.first
    }

    /// The offsets of all orientation values that are a single digit, as every valid orientation is.
    private var orientationDigits: [Int] {
        ["tiff:Orientation", "exif:Orientation"].flatMap { name in
            places(of: name, in: bytes.indices).compactMap { place in
                guard let value = value(at: place), value.count == 1 else { return nil }
                return (0x30...0x39).contains(bytes[value.lowerBound]) ? value.lowerBound : nil
            }
        }
    }

    /// Returns the range of the value after a name that ends at `place`: `="value"`, `='value'`, or `>value<`.
    private func value(at place: Int) -> Range<Int>? {
        var place = skipSpace(place)
        guard place < bytes.count else { return nil }
        if bytes[place] == UInt8(ascii: ">") {
            return first(UInt8(ascii: "<"), from: place + 1).map { trimmed(place + 1..<$0) }
        }
        guard bytes[place] == UInt8(ascii: "=") else { return nil }
        place = skipSpace(place + 1)
        guard place < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[place]) else { return nil }
        return first(bytes[place], from: place + 1).map { trimmed(place + 1..<$0) }
    }

    private func first(_ byte: UInt8, from place: Int) -> Int? {
        bytes[place...].prefix(Self.valueLimit).firstIndex(of: byte)
    }

    private func text(of name: String, keepsLines: Bool = false) -> String? {
        for place in places(of: name, in: bytes.indices) {
            guard let value = value(at: place) else { continue }
            if !value.isEmpty { return unescaped(value, keepsLines) }
            // A property with only white space before the next tag contains an array, up to the property's end tag.
            let limit = place + min(Self.valueLimit, bytes.count - place)
            let end = places(of: "</" + name, in: place..<limit).first ?? limit
            for item in places(of: "<rdf:li", in: place..<end) {
                guard let open = bytes[item..<end].firstIndex(of: UInt8(ascii: ">")),
                    let close = bytes[open..<end].firstIndex(of: UInt8(ascii: "<"))
                else { break }
                if let text = unescaped(open + 1..<close, keepsLines) { return text }
            }
        }
        return nil
    }

    /// Returns the offsets after the first occurrences of `name` as a whole word. Ignores end tags, unless `name`
    /// begins with `<`.
    private func places(of name: String, in range: Range<Int>) -> [Int] {
        let name = Array(name.utf8)
        let isTag = name[0] == UInt8(ascii: "<")
        var found: [Int] = []
        var place = range.lowerBound
        while found.count < Self.placeLimit, place <= range.upperBound - name.count {
            guard let next = bytes[place...(range.upperBound - name.count)].firstIndex(of: name[0]) else { break }
            let end = next + name.count
            let before = next == 0 ? UInt8(ascii: " ") : bytes[next - 1]
            let beginsWord = isTag || !Self.isNameByte(before) && before != UInt8(ascii: "/")
            let endsWord = end == bytes.count || !Self.isNameByte(bytes[end])
            if beginsWord, endsWord, bytes[next..<end].elementsEqual(name) { found.append(end) }
            place = next + 1
        }
        return found
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: "."), 0x80...:
            true
        default: false
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private func skipSpace(_ place: Int) -> Int {
        var place = place
        while place < bytes.count, Self.isSpace(bytes[place]) { place += 1 }
        return place
    }

    private func trimmed(_ range: Range<Int>) -> Range<Int> {
        let low = min(skipSpace(range.lowerBound), range.upperBound)
        var high = range.upperBound
        while high > low, Self.isSpace(bytes[high - 1]) { high -= 1 }
        return low..<high
    }

    /// Returns the text with XML's predefined entities and character references replaced (XML 1.0 §4.1, §4.6).
    private func unescaped(_ range: Range<Int>, _ keepsLines: Bool) -> String? {
        guard let text = String(validating: bytes[range], as: UTF8.self) else { return nil }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            rest = rest[start...]
            guard let end = rest.prefix(12).firstIndex(of: ";"), let scalar = Self.scalar(rest[..<end].dropFirst())
            else {
                result.append(rest.removeFirst())
                continue
            }
            result.unicodeScalars.append(scalar)
            rest = rest[rest.index(after: end)...]
        }
        return MetadataText.cleaned(result + rest, keepsLines: keepsLines)
    }

    private static func scalar(_ entity: Substring) -> Unicode.Scalar? {
        switch entity {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let digits = entity.dropFirst()
            guard entity.first == "#" else { return nil }
            let isHexadecimal = digits.first == "x"
            return UInt32(isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10)
                .flatMap(Unicode.Scalar.init)
        }
    }
}
