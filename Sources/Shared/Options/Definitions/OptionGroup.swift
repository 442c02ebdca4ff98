/// A heading of the help, in the order of the help.
public enum OptionGroup: Int, Sendable, CaseIterable {
    /// The command's own.
    case own
    case sizes, looks, files, placeholders, limits
    case days, service
    case selection
    case pictures
    case records
    case network
    case secrets
    case cache
    case messages

    public var title: String {
        switch self {
        case .own: "OPTIONS"
        case .sizes: "SIZE AND SHAPE"
        case .looks: "FORMAT AND LOOK"
        case .files: "FILES"
        case .placeholders: "PLACEHOLDERS"
        case .limits: "LIMITS"
        case .days: "DAYS"
        case .service: "SERVICE"
        case .selection: "WHICH ENTRIES"
        case .pictures: "PICTURES AND KEYS"
        case .records: "RECORDS"
        case .network: "NETWORK"
        case .secrets: "HEADERS AND PASSWORDS"
        case .cache: "CACHE"
        case .messages: "MESSAGES AND SETTINGS"
        }
    }

    /// Whether a short help explains these options, rather than only naming them.
    var isMain: Bool { self == .own || self == .sizes || self == .days }
}
