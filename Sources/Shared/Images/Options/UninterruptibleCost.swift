import Formats

/// The maximum time of a step in a C library that cannot be interrupted.
public struct UninterruptibleCost: Sendable {
    /// Estimated for a processor of 2020 that is shared with other work: each `pixelsPerSecond` is lower than the speed
    /// measured with noise.
    public let seconds: Double

    init(seconds: Double) { self.seconds = seconds }

    init(_ size: PixelSize, pixelsPerSecond: Double) {
        seconds = size.pixels.map { Double($0) / pixelsPerSecond } ?? .infinity
    }
}
