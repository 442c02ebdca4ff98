import Libc

/// State shared by threads, with a lock and a condition.
///
/// The tools use threads rather than tasks: files, SQLite, libcurl and codecs block, and the cooperative pool would
/// slow down the start of every process.
///
/// `@unchecked Sendable`: `state` is accessed only while `mutex` is held, in the methods below.
public final class Monitor<State>: @unchecked Sendable {
    private var state: State
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    public init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
        pthread_cond_init(condition, nil)
        #else
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` with exclusive access to the state. Not reentrant.
    public func withLock<Result, E: Error>(_ body: (inout State) throws(E) -> Result) throws(E) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// Runs `body` like `withLock`, or returns nil if another thread has the lock.
    func tryLock<Result>(_ body: (inout State) -> Result) -> Result? {
        guard pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// Changes the state with exclusive access, and wakes all waiting threads.
    public func update<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return body(&state)
    }

    /// Calls `body` now and after every `update`, until it returns a value.
    public func wait<Result>(for body: (inout State) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            pthread_cond_wait(condition, mutex)
        }
    }

    /// Waits like `wait(for:)`, but returns nil after `limit` of monotonic time. A negative limit is treated as zero.
    public func wait<Result>(atMost limit: Duration, for body: (inout State) -> Result?) -> Result? {
        let deadline = Self.time(in: limit)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            if !waitForChange(until: deadline) { return body(&state) }
        }
    }

    /// Returns the monotonic time `limit` from now. Clamps `limit` to a century to avoid overflow.
    private static func time(in limit: Duration) -> timespec {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let (seconds, attoseconds) = min(max(limit, .zero), .seconds(3_155_760_000)).components
        let nanoseconds = Int(time.tv_nsec) + Int(attoseconds / 1_000_000_000)
        time.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        return time
    }

    /// Waits for an `update`, with the mutex held; returns false after `deadline` on the monotonic clock.
    private func waitForChange(until deadline: timespec) -> Bool {
        #if canImport(Darwin)
        // On macOS, a deadline would refer to the wall clock, so this waits for a relative time.
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        var rest = timespec(tv_sec: deadline.tv_sec - now.tv_sec, tv_nsec: deadline.tv_nsec - now.tv_nsec)
        if rest.tv_nsec < 0 {
            rest.tv_sec -= 1
            rest.tv_nsec += 1_000_000_000
        }
        return rest.tv_sec >= 0 && pthread_cond_timedwait_relative_np(condition, mutex, &rest) != ETIMEDOUT
        #else
        var deadline = deadline
        return pthread_cond_timedwait(condition, mutex, &deadline) != ETIMEDOUT
        #endif
    }
}

extension Monitor<Bool> {
    /// Sets the state to true, and returns the previous state.
    public func testAndSet() -> Bool {
        withLock { state in
            defer { state = true }
            return state
        }
    }
}
