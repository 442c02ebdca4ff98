import Support

/// Writes a body to a file and computes its SHA-256. Memory use does not grow with the body. Not thread-safe.
///
/// A small body is hashed as it arrives. A large body is hashed by a second thread, which reads the bytes back from the
/// page cache, so that the first thread only receives and writes.
package final class BodyWriter: ByteSink {
    /// The length of the file, including the bytes that existed before.
    package var count: Int { bounded.count }
    private let bounded: BoundedFile
    private var file: File { bounded.file }
    /// The digest of the first `count` bytes; no longer updated once a follower computes it.
    private var hash: SHA256
    private let begun: Int
    private var follower: Follower?

    /// The number of bytes after which a thread is started. Starting a thread costs as much as hashing several hundred
    /// kilobytes.
    private static let aloneLimit = 4 << 20

    /// - Parameters:
    ///   - file: the file; its offset is after the existing bytes.
    ///   - count: the number of existing bytes.
    ///   - hash: the digest of the existing bytes.
    ///   - use: the memory limit, for a file in memory.
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
        // If no thread can be started, this thread continues to hash.
        if count - begun >= Self.aloneLimit { follower = try? Follower(file, from: count, hash: hash) }
    }

    /// Returns the SHA-256 of the file. Must be the last call. Throws `SystemFailure`, and `FileReplaced` if the
    /// file is shorter than the bytes written.
    package func finish() throws -> String {
        guard let follower else { return hash.finish() }
        self.follower = nil
        var hash = try follower.finish(at: count)
        return hash.finish()
    }
}

/// Hashes a growing file on a second thread.
private final class Follower {
    private struct State {
        /// The number of bytes in the file that may be read.
        var end: Int
        var isComplete = false
        var isAbandoned = false
        var result: Result<SHA256, any Error>?
    }

    private let state: Monitor<State>
    private let thread: Thread
    /// The number of bytes last reported to the thread.
    private var end: Int

    /// The size of a read, small enough for the processor's cache.
    private static let piece = 64 << 10
    /// The number of new bytes that wakes the thread.
    private static let stride = 1 << 20

    /// Starts the thread at offset `start`; `hash` is the digest of the bytes before. Throws `SystemFailure` if no
    /// thread can be started.
    init(_ file: File, from start: Int, hash: SHA256) throws {
        end = start
        let state = Monitor(State(end: start))
        self.state = state
        thread = try Thread.start {
            let result = Result { try Self.digest(file, from: start, hash: hash, state) }
            state.update { $0.result = result }
        }
    }

    func follow(to count: Int) {
        guard count - end >= Self.stride else { return }
        end = count
        state.update { $0.end = count }
    }

    func finish(at count: Int) throws -> SHA256 {
        state.update {
            $0.end = count
            $0.isComplete = true
        }
        thread.join()
        return try state.withLock { try $0.result!.get() }
    }

    func abandon() {
        state.update { $0.isAbandoned = true }
        thread.join()
    }

    private static func digest(_ file: File, from start: Int, hash: SHA256, _ state: Monitor<State>) throws -> SHA256 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: piece, alignment: 64)
        defer { buffer.deallocate() }
        var hash = hash
        var position = start
        while true {
            // If abandoned, return the current position, which ends the thread.
            let end = state.wait { state -> Int? in
                if state.isAbandoned { return position }
                return state.end > position || state.isComplete ? min(state.end, position + piece) : nil
            }
            if end == position { return hash }
            let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(end - position)])
            guard try file.read(into: wanted, at: position) == wanted.count else { throw FileReplaced() }
            hash.update(UnsafeRawBufferPointer(wanted))
            position = end
        }
    }
}
