import Libc
import Support

/// Starts a program with exactly this environment and these three descriptors, with default signal actions and no
/// blocked signals. An argument that is not UTF-8 is passed as `String(pathBytes:)`.
///
/// Uses `posix_spawn` rather than `fork`, since the test process has threads.
func spawn(
    _ executable: String, _ arguments: [String], environment: [String: String], folder: String, descriptors: [Int32]
) throws -> pid_t {
    #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
    }
    try changeFolder(&actions, folder)
    for (target, descriptor) in descriptors.enumerated() {
        posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(target))
    }
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGCHLD] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    var blocked = sigset_t()
    sigemptyset(&blocked)
    posix_spawnattr_setsigmask(&attributes, &blocked)
    var flags = Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
    #if canImport(Darwin)
    flags |= Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
    #endif
    posix_spawnattr_setflags(&attributes, Int16(flags))

    var argv = ([executable] + arguments).map { $0.withPathPointer { strdup($0) } } + [nil]
    var envp = environment.map { "\($0.key)=\($0.value)".withPathPointer { strdup($0) } } + [nil]
    defer {
        for string in argv { free(string) }
        for string in envp { free(string) }
    }
    var child = pid_t()
    let status = descriptorInheritance.withLock { _ in
        posix_spawn(&child, executable, &actions, &attributes, &argv, &envp)
    }
    guard status == 0 else { throw SystemFailure(errno: status, "start \(executable)") }
    return child
}

#if canImport(Darwin)
private func changeFolder(_ actions: inout posix_spawn_file_actions_t?, _ folder: String) throws {
    posix_spawn_file_actions_addchdir_np(&actions, folder)
}
#else
/// glibc and musl have the function, but their headers declare it only with `_GNU_SOURCE`, which a Swift import cannot
/// set.
private func changeFolder(_ actions: inout posix_spawn_file_actions_t, _ folder: String) throws {
    typealias AddFolder =
        @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>) -> Int32
    guard let symbol = dlsym(nil, "posix_spawn_file_actions_addchdir_np") else {
        throw SystemFailure(errno: ENOSYS, "start a tool in \(folder)")
    }
    _ = unsafeBitCast(symbol, to: AddFolder.self)(&actions, folder)
}
#endif

/// Reads a descriptor on a separate thread, so that a child process never waits for its reader.
final class StreamCollector: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var taken = 0
        var searched = 0
        var ended = false
    }

    private let state = Monitor(State())

    /// Owns `descriptor`; nil is an empty stream.
    init(_ descriptor: Int32?) throws {
        guard let descriptor else {
            state.update { $0.ended = true }
            return
        }
        try Thread.start { [state] in
            var chunk = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = read(descriptor, &chunk, chunk.count)
                if count < 0 && errno == EINTR { continue }
                // If the other end is closed, a terminal returns EIO and a pipe returns 0.
                if count <= 0 { break }
                state.update { $0.bytes.append(contentsOf: chunk[..<count]) }
            }
            close(descriptor)
            state.update { $0.ended = true }
        }.detach()
    }

    /// Returns the next line without the newline; nil at the end, or if no line arrives within `limit`.
    func line(within limit: Duration) -> String? {
        let found: String?? = state.wait(atMost: limit) { state -> String?? in
            let end = state.bytes[state.searched...].firstIndex(of: UInt8(ascii: "\n"))
            state.searched = end ?? state.bytes.count
            guard let end = end ?? (state.ended ? state.bytes.count : nil) else { return nil }
            if end == state.bytes.count && state.taken >= end { return .some(nil) }
            defer {
                state.taken = min(end + 1, state.bytes.count)
                state.searched = state.taken
            }
            return String(decoding: state.bytes[state.taken..<end], as: UTF8.self)
        }
        return found ?? nil
    }

    /// Returns all bytes, including lines already returned. Waits at most `limit` for the end of the stream.
    func all(within limit: Duration) -> [UInt8] {
        _ = state.wait(atMost: limit) { $0.ended ? true : nil }
        return state.withLock { $0.bytes }
    }

    /// Waits until `text` has been received. Returns false if the stream ends first or `limit` has passed.
    func wait(for text: String, within limit: Duration) -> Bool {
        state.wait(atMost: limit) { state -> Bool? in
            String(decoding: state.bytes, as: UTF8.self).contains(text: text) ? true : (state.ended ? false : nil)
        } ?? false
    }

    /// Waits until `count` bytes have been received. Returns false if the stream ends first or `limit` has passed.
    func wait(forBytes count: Int, within limit: Duration) -> Bool {
        state.wait(atMost: limit) { $0.bytes.count >= count ? true : ($0.ended ? false : nil) } ?? false
    }
}
