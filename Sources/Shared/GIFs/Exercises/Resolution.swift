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

    /// What will do where this one is wanted and may be missing, the best first: the nearest larger one, which can be
    /// made smaller, comes before the nearest smaller.
    public var andNearest: [Resolution] {
        Self.allCases.filter { $0.rawValue >= rawValue } + Self.allCases.filter { $0.rawValue < rawValue }.reversed()
    }

    public var description: String { String(rawValue) }
}
