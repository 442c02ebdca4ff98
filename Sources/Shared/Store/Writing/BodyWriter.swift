import Support

/// Writes a body to a file, and takes its SHA-256 meanwhile.
///
/// That of a small body is taken as it comes. That of a large one is taken by a thread of its own, which reads behind
/// the writer what the system still has in memory, and sets the disk to work on it: the receiving thread then does
/// nothing but receive and write. Memory does not grow with the body. Used by one thread.
package final class BodyWriter: ByteSink {
    /// How many bytes have been written, or were there before.
    package var count: Int { bounded.count }
    private let bounded: BoundedFile
    private var file: File { bounded.file }
    /// The digest of the first `count` bytes, as long as there is no follower.
    private var hash: SHA256
    private let begun: Int
    private var follower: Follower?

    /// From how many bytes on a thread pays: its start costs as much as the digest of some hundred kilobytes.
    private static let aloneLimit = 4 << 20

    /// - Parameters:
    ///   - file: its position is behind the bytes that are there.
    ///   - count: how many those are.
    ///   - hash: their digest.
    ///   - use: bounds what it takes, in memory.
    package init(_ file: File, after count: Int = 0, hash: SHA256 = SHA256(), use: MemoryUse? = nil) {
        bounded = BoundedFile(file, count: count, use: use)
        self.hash = hash
        begun = count
    }

    deinit { follower?.abandon() }

    /// Writes the next bytes. Throws `SystemFailure`, `CacheFailure.memoryFull`.
    package func write(_ bytes: RawSpan) throws {
        try bounded.write(bytes)
        if let follower { return follower.follow(to: count) }
        bytes.withUnsafeBytes { hash.update($0) }
        // Where the system has no thread left, everything goes on here.
        if count - begun >= Self.aloneLimit { follower = try? Follower(file, from: count, hash: hash) }
    }

    /// Waits until all that was written is on the disk, and gives its SHA-256; nothing can be written afterwards.
    /// Throws `SystemFailure`, and `PartialFile.Lost` where the file is shorter than what was written.
    package func finish() throws -> String {
        try file.synchronize()
        guard let follower else { return hash.finish() }
        self.follower = nil
        var hash = try follower.finish(at: count)
        return hash.finish()
    }
}

/// Takes the digest of a file that grows, on a thread of its own.
private final class Follower {
    private struct State {
        /// How far there is something to read.
        var end: Int
        /// Whether that is all.
        var isComplete = false
        var isAbandoned = false
        var result: Result<SHA256, any Error>?
    }

    private let state: Monitor<State>
    private let thread: Thread
    /// What the thread was told last.
    private var end: Int

    /// What is read at once: little enough to stay in the processor's cache.
    private static let piece = 64 << 10
    /// How much there must be before the thread is woken.
    private static let stride = 1 << 20
    /// How many bytes are read before the disk is set to work on them: some fractions of a second's worth, so that
    /// little is left to wait for at the end.
    private static let writeBackStep = 8 << 20

    /// Begins behind `start` bytes whose digest is `hash`. Throws `SystemFailure` where there is no thread left.
    package init(_ file: File, from start: Int, hash: SHA256) throws {
        end = start
        let state = Monitor(State(end: start))
        self.state = state
        thread = try Thread.start {
            let result = Result { try Self.digest(file, from: start, hash: hash, state) }
            state.update { $0.result = result }
        }
    }

    /// Lets the thread read up to `count`.
    package func follow(to count: Int) {
        guard count - end >= Self.stride else { return }
        end = count
        state.update { $0.end = count }
    }

    /// The digest of the first `count` bytes, which are all.
    package func finish(at count: Int) throws -> SHA256 {
        state.update {
            $0.end = count
            $0.isComplete = true
        }
        thread.join()
        return try state.withLock { try $0.result!.get() }
    }

    /// Ends the thread, which may be in the middle.
    package func abandon() {
        state.update { $0.isAbandoned = true }
        thread.join()
    }

    private static func digest(
        _ file: File, from start: Int, hash: SHA256, _ state: Monitor<State>
    ) throws -> SHA256 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 64)
        defer { buffer.deallocate() }
        var hash = hash
        var position = start
        var writtenBack = 0
        while true {
            // Where there is nothing more to do, that is where it stands.
            let end = state.wait { state -> Int? in
                if state.isAbandoned { return position }
                return state.end > position || state.isComplete ? min(state.end, position + piece) : nil
            }
            if end == position { return hash }
            let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(end - position)])
            guard try file.read(into: wanted, at: position) == wanted.count else { throw PartialFile.Lost() }
            hash.update(UnsafeRawBufferPointer(wanted))
            position = end
            if position - writtenBack >= writeBackStep {
                file.beginWriteBack(writtenBack..<position)
                writtenBack = position
            }
        }
    }
}
