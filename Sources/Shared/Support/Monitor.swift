#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// State that several threads share: a lock around it, and a way to wait until it has changed.
///
/// The tools run on plain threads rather than tasks, since all that they wait for blocks (files, SQLite, libcurl,
/// codecs) and a cold process pays for the cooperative pool.
///
/// `@unchecked Sendable`: `state` is touched only while `mutex` is held, which `withLock` and `wait` see to.
public final class Monitor<State>: @unchecked Sendable {
    private var state: State
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    public init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` on the state, alone. Must not be called from within itself.
    public func withLock<Result, E: Error>(_ body: (inout State) throws(E) -> Result) throws(E) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// Runs `body` as `withLock` does, but gives nil where another thread has the state at this moment.
    func tryLock<Result>(_ body: (inout State) -> Result) -> Result? {
        guard pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { pthread_mutex_unlock(mutex) }
        return body(&state)
    }

    /// Changes the state, alone, and wakes everyone who waits for it.
    public func update<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return body(&state)
    }

    /// Waits until `body` gives a value: it is asked at once and after every `update`.
    public func wait<Result>(for body: (inout State) -> Result?) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            pthread_cond_wait(condition, mutex)
        }
    }

    /// Waits as `wait(for:)` does, but gives nil once `limit` has passed on the wall clock.
    public func wait<Result>(atMost limit: Duration, for body: (inout State) -> Result?) -> Result? {
        var deadline = timespec()
        clock_gettime(CLOCK_REALTIME, &deadline)
        let (seconds, attoseconds) = limit.components
        let nanoseconds = Int(deadline.tv_nsec) + Int(attoseconds / 1_000_000_000)
        deadline.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { return body(&state) }
        }
    }
}
