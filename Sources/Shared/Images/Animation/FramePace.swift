/// Chooses the frames of an animation for a maximum frame rate.
///
/// Time is divided into slots, and each slot shows the first frame that begins in it, or up to a twentieth of a slot
/// earlier, because delays in whole milliseconds let frames begin slightly early.
struct FramePace {
    /// Frames per second; nil keeps all frames.
    let limit: Double?
    /// The start of the next frame in milliseconds.
    private var time = 0
    private var lastSlot = -1.0

    init(limit: Double?) { self.limit = limit }

    /// Whether to keep the next frame. The first is always kept; a dropped frame adds its delay to the previous frame.
    mutating func shows(frameOf delay: Int) -> Bool {
        // Absurd delays must not overflow. Such an animation fails elsewhere.
        defer { time = min(time + min(max(delay, 0), 1 << 40), 1 << 50) }
        guard let limit else { return true }
        let slot = (Double(time) * limit / 1000 + 0.05).rounded(.down)
        guard slot > lastSlot else { return false }
        lastSlot = slot
        return true
    }
}
