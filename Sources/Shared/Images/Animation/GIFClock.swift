/// Converts delays to the unit of a GIF.
struct GIFClock {
    /// The accumulated rounding error of the written delays, in milliseconds.
    private var roundingError = 0

    /// Returns the delay in hundredths of a second. Carries the rounding error over to later frames, which preserves
    /// the duration of the animation.
    mutating func hundredths(_ milliseconds: Int) -> Int {
        // Clamped against overflow: no format stores more than 32 bits.
        let wanted = min(max(milliseconds, 0), 1 << 32) + roundingError
        let result = max((wanted + 5) / 10, 0)
        guard result <= 0xFFFF else {
            roundingError = 0
            return 0xFFFF
        }
        roundingError = wanted - result * 10
        return result
    }
}
