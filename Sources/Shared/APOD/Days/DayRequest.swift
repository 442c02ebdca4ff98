/// The days whose pictures somebody wants.
public enum DayRequest: Sendable, Equatable {
    /// These, in this order.
    case named([NamedDays])
    /// The newest pictures, that many of them.
    case last(Int)
    /// All days from the beginning of `start` to the end of `end`; to the newest one if `end` is nil.
    case range(from: NamedDays, through: NamedDays?)
    /// That many different days, drawn at random. The new service has no random mode, so they are drawn here: the same
    /// seed draws the same days in the same order, but for those that were published since.
    case random(count: Int, seed: UInt64)
}
