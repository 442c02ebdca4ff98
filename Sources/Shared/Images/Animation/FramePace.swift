/// Which frames of an animation are shown if it may have only so many a second.
///
/// Time is divided into slots, of which each shows one frame: the first that begins in it, or a twentieth of it before,
/// as delays in whole milliseconds let a frame begin a little early.
struct FramePace {
    /// Frames a second at most; nil shows all.
    let limit: Double?
    /// When the next frame begins, in milliseconds from the start.
    private var time = 0
    private var lastSlot = -1.0

    init(limit: Double?) { self.limit = limit }

    /// Whether the next frame is shown. One that is not adds its time to the one before it. The first always is.
    mutating func shows(frameOf delay: Int) -> Bool {
        // A caller's absurd delays must not overflow: such an animation fails elsewhere.
        defer { time = min(time + min(max(delay, 0), 1 << 40), 1 << 50) }
        guard let limit else { return true }
        let slot = (Double(time) * limit / 1000 + 0.05).rounded(.down)
        guard slot > lastSlot else { return false }
        lastSlot = slot
        return true
    }
}
