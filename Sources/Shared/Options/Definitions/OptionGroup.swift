/// A group of options under its own heading in the help. The order of the cases is the order of the headings.
public enum OptionGroup: Int, Sendable, CaseIterable {
    /// Options of a single command.
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

    /// Whether the short help includes the summaries of these options, rather than only their names.
    var isMain: Bool { self == .own || self == .sizes || self == .days }
}
