import Images
import Records
import Support

/// A named size and appearance of a picture. Lengths are in points. The built-in styles fit the screens of a launch
/// tracker, and the configuration file can define more.
public struct Style: Sendable, Hashable {
    public enum Origin: Sendable, Hashable {
        case builtIn
        case file(String)
    }

    public let name: String
    /// The width and height. A side that is nil is computed from the other side and the aspect ratio of the style or
    /// the picture.
    public var width: Double?
    public var height: Double?
    public var aspectRatio: Double?
    public var cornerRadius = 0.0
    public var contentMode = ContentMode.fill
    public var gravity = Gravity.center
    public var gradient = Gradient.standard
    public var origin = Origin.builtIn

    /// The name of the style without a size. The command line must set the size.
    public static let openName = "card"

    /// The styles that exist without a configuration file.
    public static let builtIn = [
        Style(name: "launch-card", width: 400, height: 200, cornerRadius: 16),
        Style(name: "detail-view", width: 400, height: 300, gradient: .enhanced),
        Style(name: "rocket-card", width: 160, height: 200, cornerRadius: 12),
        Style(name: "preference-view", height: 120, cornerRadius: 8, contentMode: .fit),
        Style(name: openName),
    ]

    /// Returns the variant for a scale in pixels per point. Its size is not rounded up to a bucket, unlike the size of
    /// the variant `fit`.
    func variant(scale: Double) -> Variant {
        func pixels(_ points: Double?) -> Int? { points.map { max(Int(($0 * scale).rounded()), 1) } }
        return Variant(
            name: name,
            geometry: Geometry(
                width: pixels(width), height: pixels(height), aspectRatio: aspectRatio, mode: contentMode,
                gravity: gravity),
            gradient: gradient, cornerRadius: cornerRadius * scale)
    }

    public var record: Record {
        var record = Record()
        func number(_ value: Double?) -> JSON? {
            value.map { $0 == $0.rounded() ? .integer(Int($0)) : .raw(Array(String($0).utf8)) }
        }
        record.set("name", .string(name))
        let values: [(String, JSON?)] = [
            ("width", number(width)), ("height", number(height)), ("aspect_ratio", number(aspectRatio)),
            ("corner_radius", number(cornerRadius)), ("content_mode", .string(contentMode.rawValue)),
            ("gravity", .string(gravity.rawValue)), ("gradient", .string(gradient.rawValue)),
        ]
        for case (let field, let value?) in values { record.set(field, value) }
        let place = if case .file(let path) = origin { path } else { "built-in" }
        record.set("from", .string(place))
        return record
    }
}

// MARK: Configuration

extension Style {
    private static let fields = [
        "width", "height", "aspect_ratio", "corner_radius", "content_mode", "gravity", "gradient",
    ]
    /// The maximum width, height and radius in points, which is larger than any screen.
    private static let mostPoints = 20_000.0

    /// Returns the built-in styles, changed and extended by the object `styles` of the configuration file. An omitted
    /// field has the value of the built-in style of the same name. In a new style, it has the value of `card`, but
    /// there is no gradient. Throws `ConfigurationFailure` (78), which names the file, the style and the field.
    public static func all(_ configured: Record?, path: String) throws -> [Style] {
        var styles = builtIn
        guard let configured else { return styles }
        for name in configured.names {
            guard isName(name) else {
                throw ConfigurationFailure(
                    "\(path): invalid style name \"\(name)\"; use lower-case letters, digits and dashes")
            }
            guard !Variant.reservedNames.contains(name) else {
                throw ConfigurationFailure("\(path): \"\(name)\" is the name of a variant; choose another name")
            }
            let place = "\(path): style \"\(name)\""
            guard let raw = FieldPath(name).flatMap(configured.raw), let fields = try? Record(parsing: raw) else {
                throw ConfigurationFailure(
                    "\(place) must be an object; its fields can be \(Self.fields.joined(separator: ", "))")
            }
            let index = styles.firstIndex { $0.name == name }
            let style = try read(
                fields, base: index.map { styles[$0] } ?? Style(name: name, gradient: .none), place: place, path: path)
            if let index { styles[index] = style } else { styles.append(style) }
        }
        return styles
    }

    /// Returns whether a text is a valid name, which can be a part of record fields and file names.
    private static func isName(_ name: String) -> Bool {
        guard let first = name.utf8.first, first != UInt8(ascii: "-"), name.utf8.count <= 64 else { return false }
        return name.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || $0 == UInt8(ascii: "-")
        }
    }

    private static func read(_ record: Record, base: Style, place: String, path: String) throws -> Style {
        for field in record.names where !fields.contains(field) {
            throw ConfigurationFailure(
                "\(place): unknown field \"\(field)\"\(NearMatch.advice(for: field, among: fields))")
        }
        var style = base
        style.origin = .file(path)
        func value<Value>(_ field: String, _ expected: String, _ parse: (String) -> Value?) throws -> Value? {
            guard let path = FieldPath(field), record.raw(path) != nil else { return nil }
            let text = record.printable(path) ?? ""
            guard let value = parse(text) else {
                throw ConfigurationFailure("\(place): \"\(field)\" must be \(expected), not \"\(text)\"")
            }
            return value
        }
        func points(_ field: String, from least: Double) throws -> Double? {
            try value(field, "points from \(Int(least)) to \(Int(mostPoints))") { text in
                Double(text).flatMap { (least...mostPoints).contains($0) ? $0 : nil }
            }
        }
        func word<Value: RawRepresentable & CaseIterable>(_ field: String, _: Value.Type) throws -> Value?
        where Value.RawValue == String {
            let words = Value.allCases.map(\.rawValue).joined(separator: ", ")
            return try value(field, "one of \(words)") { Value(rawValue: $0) }
        }
        if let width = try points("width", from: 1) { style.width = width }
        if let height = try points("height", from: 1) { style.height = height }
        if let ratio = try value("aspect_ratio", AspectRatio.expected, AspectRatio.read) { style.aspectRatio = ratio }
        if let radius = try points("corner_radius", from: 0) { style.cornerRadius = radius }
        if let mode = try word("content_mode", ContentMode.self) { style.contentMode = mode }
        if let gravity = try word("gravity", Gravity.self) { style.gravity = gravity }
        if let gradient = try word("gradient", Gradient.self) { style.gradient = gradient }
        guard style.width != nil || style.height != nil || style.aspectRatio != nil || style.name == openName else {
            throw ConfigurationFailure("\(place) has no size; set width, height or aspect_ratio")
        }
        return style
    }
}

/// Parses an aspect ratio, which is the width divided by the height.
public enum AspectRatio {
    public static let expected = "a ratio such as 16:9 or 1.5"

    /// Parses `16:9`, `16/9` or `1.78`. Returns nil for other texts, and for a ratio below 1:100 or above 100:1.
    public static func read(_ text: String) -> Double? {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "/" }.map { Double($0) }
        let ratio: Double
        switch parts.count {
        case 1: ratio = parts[0] ?? .nan
        case 2: ratio = (parts[0] ?? .nan) / (parts[1] ?? .nan)
        default: return nil
        }
        return (0.01...100).contains(ratio) ? ratio : nil
    }
}
