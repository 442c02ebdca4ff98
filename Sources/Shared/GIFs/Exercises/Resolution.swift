/// The requested width and height of a GIF in pixels. Each plan has a maximum. If a larger resolution is requested, the
/// service silently returns the largest GIF that the plan allows.
public enum Resolution: Int, Sendable, CaseIterable, CustomStringConvertible {
    case pixels180 = 180
    case pixels360 = 360
    case pixels720 = 720
    case pixels1080 = 1080

    /// The resolution that every plan allows.
    public static let standard = Resolution.pixels180

    /// Parses `180`, `360`, `720` or `1080`. Returns nil for other texts.
    public init?(_ text: some StringProtocol) {
        guard let resolution = Self.allCases.first(where: { String($0.rawValue) == text }) else { return nil }
        self = resolution
    }

    /// All resolutions, from the best to the worst substitute for this resolution. Larger resolutions, which can be
    /// scaled down, precede smaller resolutions.
    public var andNearest: [Resolution] {
        Self.allCases.filter { $0.rawValue >= rawValue } + Self.allCases.filter { $0.rawValue < rawValue }.reversed()
    }

    public var description: String { String(rawValue) }
}
