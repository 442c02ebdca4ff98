/// Converts delays to hundredths of a second, the unit of GIF.
struct GIFClock {
    /// The accumulated rounding error of the written delays, in milliseconds.
    private var roundingError = 0

    /// Returns the delay in hundredths of a second. Adds the rounding error to the next delay, which preserves the
    /// duration of the animation.
    mutating func hundredths(_ milliseconds: Int) -> Int {
        // Clamped to prevent overflow. No format stores delays of more than 32 bits.
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
