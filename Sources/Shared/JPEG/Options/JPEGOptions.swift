import Support

/// Options of the decoder, and hooks through which the caller limits time, memory and threads.
public struct JPEGOptions: Sendable {
    /// Accounts for memory while it is alive.
    public typealias Reservation = any AnyObject & Sendable

    /// Whether missing data is replaced by libjpeg's values instead of an error. Default false.
    public var allowsTruncated = false
    /// Whether to skip scans of a progressive picture that improve so small an output by less than 0.03 dB
    /// (`ScanChoice`). Default true.
    public var skipsFineScans = true
    /// Default 500: real pictures have about 10, and each scan costs a pass over the whole picture.
    public var maxScans = 500
    /// Threads that the decoder may start. Default: the number of processors minus one.
    public var spareThreads = ThreadBudget()
    /// Called between steps of the work, on any thread. Throwing stops the decoder.
    public var check: @Sendable () throws -> Void = {}
    /// Called with a number of bytes before they are allocated. May wait, or throw to refuse. The decoder keeps the
    /// result as long as the memory.
    public var reserve: @Sendable (_ bytes: Int) throws -> Reservation = { _ in Unlimited() }

    private final class Unlimited: Sendable {}

    public init() {}
}
