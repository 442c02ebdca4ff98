import CSystem
import Libc

/// A process that outlives its parent, without a terminal.
public enum DetachedProcess {
    /// Starts this program with `arguments` in a new session. The new process must first call `begin`. Its standard
    /// output and standard error are `/dev/null`. Its standard input is a pipe that closes when this process ends. It
    /// inherits only the environment variables in `passedOn`, and therefore no secret.
    ///
    /// Call it before this process drops its right to run programs. Throws `SystemFailure`.
    public static func start(_ arguments: [String]) throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemFailure(errno: errno, "create a pipe") }
        defer { close(ends[0]) }
        // The writing end stays open until this process ends.
        _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
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
        posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
        for stream: Int32 in 1...2 { posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0) }
        // Reset the signals, since the new process would inherit blocked and ignored signals.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXFSZ] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | startsSession))
        let program = try ownProgram()
        // A binary that contains several tools selects the tool by this name.
        var argv = ([ProgramArguments.programName()] + arguments).map { $0.withPathPointer { strdup($0) } } + [nil]
        var envp =
            passedOn.compactMap { name in
                getenv(name).map { "\(name)=\(String(pathPointer: $0))".withPathPointer { strdup($0) } }
            } + [nil]
        defer {
            for text in argv + envp { free(text) }
        }
        var process = pid_t()
        let status = program.withPathPointer { posix_spawn(&process, $0, &actions, &attributes, &argv, &envp) }
        if status != 0 {
            close(ends[1])
            throw SystemFailure(errno: status, "start \(program)")
        }
    }

    /// Waits until the parent process has ended. Call it first in a process that `start` created.
    ///
    /// Also changes to the root folder, and closes all files except the standard streams, since other processes may
    /// wait for the end of a pipe.
    public static func begin() {
        chdir("/")
        closeInheritedFiles()
        var byte: UInt8 = 0
        while read(0, &byte, 1) > 0 || errno == EINTR { errno = 0 }
    }

    private static func closeInheritedFiles() {
        if csystem_close_from(3) { return }
        guard let folder = opendir("/dev/fd") else { return }
        var open: [Int32] = []
        while let entry = readdir(folder) {
            if let descriptor = Int32(String(nameIn: entry)), descriptor > 2 { open.append(descriptor) }
        }
        closedir(folder)
        // The list includes the descriptor of /dev/fd itself, which is already closed.
        for descriptor in open { close(descriptor) }
    }

    private static let passedOn = [
        "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS",
    ]

    #if canImport(Darwin)
    private static let startsSession: Int32 = 0x0400  // POSIX_SPAWN_SETSID of <sys/spawn.h>

    private static func ownProgram() throws -> String {
        var size = UInt32(PATH_MAX)
        var path = [CChar](repeating: 0, count: Int(size))
        guard _NSGetExecutablePath(&path, &size) == 0 else {
            throw SystemFailure(errno: ENAMETOOLONG, "find the path of this program")
        }
        return path.withUnsafeBufferPointer { String(pathPointer: $0.baseAddress!) }
    }
    #else
    // POSIX_SPAWN_SETSID of <spawn.h>, the same in glibc (2.26) and musl. Swift does not import it from glibc's header.
    private static let startsSession: Int32 = 0x80

    private static func ownProgram() throws -> String {
        guard let path = linkTarget("/proc/self/exe") else {
            throw SystemFailure(errno: errno, "find the path of this program")
        }
        return path
    }
    #endif
}
