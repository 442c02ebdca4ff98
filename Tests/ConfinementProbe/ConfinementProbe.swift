import Commands
import ConfinementAttempts
import Libc
import Support

/// Confines itself under the plan in the arguments before `--`, attempts the operations in the arguments after `--`,
/// and prints the error number of each (0 for success). Tests use it to check which operations remain possible after a
/// hostile picture has taken over a tool.
@main
struct ConfinementProbe {
    static func main() {
        let words = ProgramArguments.ofProcess()
        let plan = words.prefix { $0 != "--" }
        var requirements = SandboxRequirements()
        var folders: [String] = []
        var target: confinement_target?
        var log = Log.silent
        for word in plan {
            let value = value(of: word)
            switch name(of: word) {
            case "cache": folders.append(value)
            case "input": requirements.inputs.append(value)
            case "output": requirements.outputs.append(value)
            case "folder": requirements.folders.append(value)
            case "network": requirements.usesNetwork = true
            case "text": requirements.drawsText = true
            case "verbose": log = Log(tool: "confinement-probe", threshold: .detail)
            case "codecs": requirements.loadsCodecs = true
            case "no-cache": requirements.usesCache = false
            case "user": become(uid_t(value) ?? 0)
            case "attack": target = prepared(in: value, cache: folders)
            case "hold": waitForInput()
            case "none": break
            default: fatalError("unknown need: \(word)")
            }
        }
        let enforcement = Confinement(requirements, cache: folders, environment: .ofProcess()).enforce(log: log)
        print("landlock \(enforcement.landlock ?? 0)")
        print("seccomp \(enforcement.filtersCalls ? 1 : 0)")
        if var target { attack(&target) }
        for word in words.dropFirst(plan.count + 1) { print("\(word) \(attempt(name(of: word), value(of: word)))") }
    }

    private static func name(of word: String) -> Substring { word.prefix { $0 != "=" } }
    private static func value(of word: String) -> String { String(word.drop { $0 != "=" }.dropFirst()) }

    private static func attempt(_ name: Substring, _ value: String) -> Int32 {
        switch name {
        case "read": opened(value, O_RDONLY)
        case "list": opened(value, O_RDONLY | O_DIRECTORY)
        case "write": opened(value, O_WRONLY | O_CREAT | O_APPEND)
        case "truncate": result(truncate(value, 0))
        case "remove": result(unlink(value))
        case "folder": result(mkdir(value, 0o700))
        case "link": result(symlink("/", value))
        case "pipe": result(mkfifo(value, 0o600))
        case "move": move(value)
        case "connect": connected(to: UInt16(value) ?? 0)
        case "listen": listened()
        case "unix-socket": closed(socket(AF_UNIX, stream, 0))
        case "thread": thread()
        case "call": called(value)
        default: fatalError("unknown attempt: \(name)")
        }
    }

    private static func result(_ status: Int32) -> Int32 { status < 0 ? errno : 0 }

    private static func closed(_ descriptor: Int32) -> Int32 {
        guard descriptor >= 0 else { return errno }
        close(descriptor)
        return 0
    }

    private static func opened(_ path: String, _ flags: Int32) -> Int32 { closed(open(path, flags | O_CLOEXEC, 0o600)) }

    /// Renames a file. `paths` are the old and the new path, separated by a colon.
    private static func move(_ paths: String) -> Int32 {
        let parts = paths.split(separator: ":").map(String.init)
        return result(rename(parts[0], parts[1]))
    }

    #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
    private static let stream = SOCK_STREAM
    #endif

    private static func withLoopback(
        _ port: UInt16, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                result(body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)))
            }
        }
    }

    private static func connected(to port: UInt16) -> Int32 { withLoopback(port, connect) }
    private static func listened() -> Int32 { withLoopback(0, bind) }

    /// Checks that a new thread is confined too: returns the error number of its attempt to create a Unix domain
    /// socket.
    private static func thread() -> Int32 {
        let answer = Monitor<Int32>(-1)
        guard let thread = try? Thread.start({ answer.withLock { $0 = closed(socket(AF_UNIX, stream, 0)) } }) else {
            return -1
        }
        thread.join()
        return answer.withLock { $0 }
    }

    // MARK: Attacks

    /// Changes the user of this process.
    private static func become(_ user: uid_t) {
        guard setgroups(0, nil) == 0, setgid(user) == 0, setuid(user) == 0 else { fatalError("cannot become \(user)") }
    }

    /// Prepares an attack on the file `victim` in the folder, and on a process that reads the socket `socket` there.
    /// Prints the ID of that process. Must be called before this process is confined.
    private static func prepared(in folder: String, cache: [String]) -> confinement_target {
        func kept(_ text: String) -> UnsafePointer<CChar> { text.withPathPointer { UnsafePointer(strdup($0)) } }
        var target = confinement_target(
            victim: kept("\(folder)/victim"), folder: kept(folder), cache: kept(cache.first ?? folder),
            socket: kept("\(folder)/socket"), process: 0)
        guard confinement_start_process(&target) else { fatalError("cannot start a process") }
        confinement_prepare(&target)
        print("process \(target.process)")
        return target
    }

    /// Prints `prepared` on standard error, then waits for the end of standard input.
    private static func waitForInput() {
        StandardError.write("prepared\n")
        while readLine() != nil {}
    }

    private static func attack(_ target: inout confinement_target) {
        for index in 0..<confinement_attempt_count() {
            var name: UnsafePointer<CChar>?
            let found = confinement_attempt(index, &target, &name)
            print("attempt \(name.map { String(pathPointer: $0) } ?? "") \(found)")
        }
    }

    /// Makes a system call by its number, without arguments. Use it only for calls without an effect.
    private static func called(_ number: String) -> Int32 {
        typealias Call = @convention(c) (Int) -> Int
        guard let number = Int(number), let found = dlsym(nil, "syscall") else { return -1 }
        return unsafeBitCast(found, to: Call.self)(number) < 0 ? errno : 0
    }
}
