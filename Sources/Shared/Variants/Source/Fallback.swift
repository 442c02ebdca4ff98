import Placeholders
import Records
import Support

/// What is drawn where there is no picture.
public struct Fallback: Sendable {
    /// What placeholders say; nil is what fits what is missing, which is also said if a record has not what is wanted.
    public var message: Template?
    public var theme: Placeholder.Theme
    /// A font's file or family; nil is found.
    public var font: String?
    /// What is drawn in place of the icon that says what is missing; nil is that icon.
    public var icon: FallbackIcon?

    public init(message: Template? = nil, theme: Placeholder.Theme = .light, font: String? = nil) {
        self.message = message
        self.theme = theme
        self.font = font
    }

    /// The placeholder for a record without a picture, or for one whose picture cannot be shown.
    ///
    /// - Parameter failure: why, where it is known now; else the record's own `error` tells.
    func placeholder(for record: Record, _ failure: (any Failure)?) -> Placeholder {
        let status = failure.map { Int($0.exitCode.rawValue) } ?? record.integer("error.exit")
        let missing: Placeholder.Missing =
            switch (record.string("media_type"), status) {
            case ("video", _): .video
            case (_, Int(ExitCode.temporary.rawValue)): .network
            case (_, Int(ExitCode.notAllowed.rawValue)): .forbidden
            default: .picture
            }
        // As much as is looked at, and no more than a key can hold.
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
