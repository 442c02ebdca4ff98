/// How many pixels wide and high a GIF is asked for. Plans allow up to one of these; who asks for more gets the largest
/// that is allowed, and no word about it.
public enum Resolution: Int, Sendable, CaseIterable, CustomStringConvertible {
    case pixels180 = 180
    case pixels360 = 360
    case pixels720 = 720
    case pixels1080 = 1080

    /// What every plan allows.
    public static let standard = Resolution.pixels180

    /// Reads `180`, `360`, `720` or `1080`; nil for anything else.
    public init?(_ text: some StringProtocol) {
        guard let resolution = Self.allCases.first(where: { String($0.rawValue) == text }) else { return nil }
        self = resolution
    }

    public var description: String { String(rawValue) }
}
