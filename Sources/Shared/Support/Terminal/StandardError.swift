import CSystem
import Libc

/// Writes whole lines from all threads to standard error, and below them at most one line that is redrawn.
///
/// The tools of a pipeline share a terminal. Only the process that holds the terminal's lock draws.
public enum StandardError {
    private struct State {
        /// The drawn line and its columns.
        var drawn: (text: String, columns: Int)?
        /// Whether the terminal is known to clear lines: true after the first `draw`, which needs such a terminal.
        var mayClear = false
        var isConcluded = false
    }

    private static let state = Monitor(State())

    /// Discards the messages that codec and font libraries write to the C library's `stdout` and `stderr`. Call it
    /// before starting other threads.
    public static func silenceLibraries() { csystem_silence_libraries() }

    /// Writes whole lines, above the drawn line.
    public static func write(_ text: String) { state.withLock { clearingProgressLine(&$0) { emit(text) } } }

    /// Clears the drawn line while `body` writes to the same terminal.
    public static func clearingProgressLine<Result, E: Error>(_ body: () throws(E) -> Result) throws(E) -> Result {
        try state.withLock { state throws(E) in try clearingProgressLine(&state, body) }
    }

    /// Replaces the drawn line; nil clears it. Does nothing while another process draws.
    static func draw(_ line: (text: String, columns: Int)?) {
        state.withLock { state in
            if state.isConcluded { return }
            state.mayClear = true
            guard state.drawn != nil || line != nil && TerminalLock.claim() else { return }
            emit(clearing(state) + (line?.text ?? ""))
            if line == nil { TerminalLock.release() }
            state.drawn = line
        }
    }

    /// Clears the drawn line and stops drawing. Waits at most 0.2 s for a thread that is blocked by the terminal.
    static func conclude() {
        for _ in 0..<20 {
            let isDone: Void? = state.tryLock { state in
                if state.drawn != nil { emit(clearing(state)) }
                state.drawn = nil
                state.isConcluded = true
            }
            if isDone != nil { return }
            usleep(10_000)
        }
    }

    private static func clearingProgressLine<Result, E: Error>(
        _ state: inout State, _ body: () throws(E) -> Result
    ) throws(E) -> Result {
        let isInTheWay = state.drawn != nil || state.mayClear && TerminalLock.isClaimedByAnother
        if isInTheWay { emit(clearing(state)) }
        defer { if let drawn = state.drawn { emit(drawn.text) } }
        return try body()
    }

    private static func clearing(_ state: State) -> String {
        clearing(columns: state.drawn?.columns ?? 0, width: Terminal.width(of: 2))
    }

    /// Returns the control sequence that clears a line of `columns` columns (ECMA-48 §8.3: CUU, ED, EL). The line
    /// occupies several rows if the terminal has become narrower.
    static func clearing(columns: Int, width: Int) -> String {
        let above = width > 0 ? max(columns - 1, 0) / width : 0
        return above > 0 ? "\r\u{1B}[\(above)A\u{1B}[J" : "\r\u{1B}[K"
    }

    private static func emit(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let base = rest.baseAddress, !rest.isEmpty {
                let count = systemWrite(2, base, rest.count)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}

/// A lock between processes: its holder may draw on the terminal of standard error.
private enum TerminalLock {
    /// Acquires the lock, or returns false if another process has it. Uses a POSIX record lock, which the kernel
    /// releases when the process ends; `flock` would not work, since a shell passes the same open file to a whole
    /// pipeline.
    static func claim() -> Bool {
        var lock = record(F_WRLCK)
        // If the terminal does not support locks, draw without a lock.
        return fcntl(2, F_SETLK, &lock) == 0 || errno != EAGAIN && errno != EACCES
    }

    static func release() {
        var lock = record(F_UNLCK)
        _ = fcntl(2, F_SETLK, &lock)
    }

    static var isClaimedByAnother: Bool {
        var lock = record(F_WRLCK)
        return fcntl(2, F_GETLK, &lock) == 0 && Int32(lock.l_type) != Int32(F_UNLCK)
    }

    /// Returns a lock of the whole file.
    private static func record(_ type: some BinaryInteger) -> flock {
        var lock = flock()
        lock.l_type = Int16(truncatingIfNeeded: type)
        lock.l_whence = Int16(SEEK_SET)
        return lock
    }
}
