import Support

/// Options of the decoder, and hooks through which the caller limits time, memory and threads.
public struct JPEGOptions: Sendable {
    /// A reservation of memory, which ends when the object is released.
    public typealias Reservation = any AnyObject & Sendable

    /// Whether to replace missing data with libjpeg's values instead of throwing. Default false.
    public var allowsTruncated = false
    /// Whether to skip scans of a progressive picture that improve a small output by less than 0.03 dB (`ScanChoice`).
    /// Default true.
    public var skipsFineScans = true
    /// Default 500: real pictures have about 10 scans, and each scan costs a pass over the whole picture.
    public var maxScans = 500
    /// Threads that the decoder may start. Default: the number of processors minus one.
    public var spareThreads = ThreadBudget()
    /// Whether a sequential decode leaves a spare thread to the caller, even if it is the only one. Default false.
    public var leavesThread = false
    /// Called regularly during the decode, on any thread. An error stops the decode.
    public var check: @Sendable () throws -> Void = {}
    /// Called before memory is allocated. May wait, or throw to refuse. The decoder releases the result together with
    /// the memory.
    public var reserve: @Sendable (_ bytes: Int) throws -> Reservation = { _ in Unlimited() }

    private final class Unlimited: Sendable {}

    public init() {}
}
