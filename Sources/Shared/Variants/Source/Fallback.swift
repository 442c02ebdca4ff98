import Placeholders
import Records
import Support

/// The settings of placeholders for missing pictures.
public struct Fallback: Sendable {
    /// The text of placeholders. If it is nil, or if the record lacks a field of the template, the text depends on the
    /// kind of failure.
    public var message: Template?
    public var theme: Placeholder.Theme
    /// The path of a font file or the name of a family, or nil for the default font.
    public var font: String?
    /// The picture that replaces the built-in icons, or nil.
    public var icon: FallbackIcon?

    public init(message: Template? = nil, theme: Placeholder.Theme = .light, font: String? = nil) {
        self.message = message
        self.theme = theme
        self.font = font
    }

    /// - Parameter failure: the failure that left this run without a picture, or nil if the record's `error` contains
    ///   the reason.
    func placeholder(for record: Record, _ failure: (any Failure)?) -> Placeholder {
        let status = failure.map { Int($0.exitCode.rawValue) } ?? record.integer("error.exit")
        let missing: Placeholder.Missing =
            switch (record.string("media_type"), status) {
            case ("video", _): .video
            case (_, Int(ExitCode.temporary.rawValue)): .network
            case (_, Int(ExitCode.notAllowed.rawValue)): .forbidden
            default: .picture
            }
        // Limit the length of the text, which is part of the cache key. No placeholder can show more characters.
        let wanted = message.flatMap { try? $0.text(for: record) } ?? Self.message(missing)
        let text = String(String.UnicodeScalarView(wanted.unicodeScalars.prefix(4000)))
        return Placeholder(missing: missing, message: text, theme: theme, font: font)
    }

    private static func message(_ missing: Placeholder.Missing) -> String {
        switch missing {
        case .picture: "No picture"
        case .video: "Video"
        case .network: "Not available now"
        case .forbidden: "Not allowed"
        }
    }
}
