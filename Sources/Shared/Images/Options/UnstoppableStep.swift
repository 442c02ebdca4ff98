import Formats

/// Work of a C library that cannot be stopped once it has begun, so that it must be known beforehand how long it may
/// take at most.
public struct UnstoppableStep: Sendable {
    /// How long it takes at most, on a processor of 2020 that other work uses too.
    public let seconds: Double

    init(seconds: Double) { self.seconds = seconds }

    init(_ size: PixelSize, pixelsPerSecond: Double) {
        seconds = size.pixels.map { Double($0) / pixelsPerSecond } ?? .infinity
    }
}
