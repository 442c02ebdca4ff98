/// The point of a picture that a crop keeps as close to its centre as the edges allow.
public struct Focus: Sendable, Hashable, CustomStringConvertible {
    /// Fractions of the upright picture's sides, 0...1 from the left and from the top.
    public let x: Double
    public let y: Double

    /// Returns nil unless both are 0...1.
    public init?(x: Double, y: Double) {
        guard (0...1).contains(x), (0...1).contains(y) else { return nil }
        (self.x, self.y) = (x, y)
    }

    /// Parses `40%,30%` or `0.4,0.3`. Returns nil if it is invalid or outside the picture.
    public init?(_ text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { part -> Double? in
            part.hasSuffix("%") ? Double(part.dropLast()).map { $0 / 100 } : Double(part)
        }
        guard parts.count == 2, let x = parts[0], let y = parts[1] else { return nil }
        self.init(x: x, y: y)
    }

    public var description: String { "\(x),\(y)" }
}
