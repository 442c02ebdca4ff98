import Support

/// Passes frames to an animation writer. If there is a spare thread, encodes a frame while the caller draws the next
/// frame. The bytes are the same with and without the thread.
final class FrameEncoder {
    private struct State {
        /// The frame that the thread encodes; nil while the thread is idle.
        var frame: (canvas: AlignedBuffer, delay: Int)?
        var failure: (any Error)?
        var hasEnded = false
    }

    private let writer: any AnimationWriter
    private let state = Monitor(State())
    private let spareThreads: ThreadBudget
    private var thread: Thread?
    /// A canvas that neither the caller nor the thread uses; nil without a thread.
    private var spare: AlignedBuffer?

    /// The minimum number of pixels of a canvas. Smaller frames take less time than passing them to a thread.
    private static let threadPixels = 1 << 14

    init(_ writer: any AnimationWriter, canvasPixels: Int, spareThreads: ThreadBudget) {
        self.writer = writer
        self.spareThreads = spareThreads
        guard canvasPixels >= Self.threadPixels, spareThreads.take() else { return }
        // Only the thread uses the writer until the thread has ended.
        nonisolated(unsafe) let writer = writer
        thread = try? Thread.start { [state] in
            while let frame = state.wait(for: { $0.frame.map { .some($0) } ?? ($0.hasEnded ? .some(nil) : nil) }) {
                let result = Result { try writer.write(frame.canvas.bytes, delay: frame.delay) }
                state.update { state in
                    state.frame = nil
                    if case .failure(let error) = result { state.failure = error }
                }
            }
        }
        if thread == nil { spareThreads.giveBack() } else { spare = AlignedBuffer(count: canvasPixels * 4) }
    }

    deinit { end() }

    /// Encodes a frame, and returns the canvas for the next frame. Throws the error of this frame or of an earlier one.
    ///
    /// - Parameters:
    ///   - canvas: RGBA, as in `AnimationWriter.write`.
    ///   - delay: in milliseconds.
    func write(_ canvas: AlignedBuffer, delay: Int) throws -> AlignedBuffer {
        guard let next = spare else {
            try writer.write(canvas.bytes, delay: delay)
            return canvas
        }
        try settle()
        state.update { $0.frame = (canvas, delay) }
        spare = canvas
        return next
    }

    /// Writes the end of the file. Call it once, after at least one frame.
    func finish() throws {
        try settle()
        end()
        try writer.finish()
    }

    /// Waits until the thread has encoded the last frame. Throws its error.
    private func settle() throws {
        if let failure = state.wait(for: { $0.frame == nil ? .some($0.failure) : nil }) { throw failure }
    }

    private func end() {
        guard let thread else { return }
        self.thread = nil
        state.update { $0.hasEnded = true }
        thread.join()
        spareThreads.giveBack()
    }
}
