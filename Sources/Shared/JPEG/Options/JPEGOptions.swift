import Support

/// How a picture is decoded, and the time, memory and threads that the caller grants.
public struct JPEGOptions: Sendable {
    /// Holds memory for the caller's account while it lives.
    public typealias Reservation = any AnyObject & Sendable

    /// Whether missing data gets libjpeg's values, instead of an error. Default false.
    public var allowsTruncated = false
    /// Whether scans of a progressive picture are skipped that bring less than 0.03 dB to so small an output
    /// (`ScanChoice`). Default true.
    public var skipsFineScans = true
    /// Scans of a picture. Default 500: real ones have about 10, and each costs a visit to all of the picture.
    public var maxScans = 500
    /// Threads that the decoder may start. Default: the machine's processors but one.
    public var spareThreads = SpareThreads()
    /// Called between the steps of the work, on any of its threads. The decoder stops if it throws.
    public var check: @Sendable () throws -> Void = {}
    /// Called with a number of bytes before that memory is taken; throws to refuse it. May wait. The decoder keeps the
    /// result as long as the memory.
    public var reserve: @Sendable (_ bytes: Int) throws -> Reservation = { _ in Unlimited() }

    private final class Unlimited: Sendable {}

    public init() {}
}
