import Libc
import Support

/// The source of a tool's standard input.
public enum ToolInput: Sendable, ExpressibleByStringLiteral {
    /// Nothing: `/dev/null`.
    case empty
    /// These bytes through a pipe that is then closed.
    case bytes([UInt8])
    /// A pipe that stays open until `closeInput()`; written to piece by piece.
    case pipe
    /// A file.
    case file(String)
    /// A terminal without input.
    case terminal

    public init(stringLiteral text: String) { self = .bytes(Array(text.utf8)) }

    public static func text(_ text: String) -> ToolInput { .bytes(Array(text.utf8)) }
    public static func lines(_ lines: [String]) -> ToolInput { .text(lines.map { $0 + "\n" }.joined()) }
}

/// The destination of a tool's standard output or standard error.
public enum ToolStream: Sendable {
    /// Collected while the tool runs.
    case collected
    /// Collected too, but the tool sees a terminal (which turns `\n` into `\r\n`).
    case terminal
    /// A pipe whose reader has already gone.
    case closedPipe
    /// A file that is made or emptied, such as `/dev/null` or `/dev/full`.
    case file(String)
}

/// The three ends that a child gets, and the parent's ends.
struct ToolEnds {
    /// Given to the child as 0, 1, 2 and closed here afterwards.
    var child: [Int32] = []
    /// Ours: to write its input, to read its output and its errors.
    var input: Int32?
    var output: Int32?
    var errors: Int32?

    init(_ input: ToolInput, _ output: ToolStream, _ errors: ToolStream) throws {
        do {
            switch input {
            case .empty: child.append(try openDescriptor("/dev/null", O_RDONLY))
            case .file(let path): child.append(try openDescriptor(path, O_RDONLY))
            case .bytes, .pipe:
                let (reading, writing) = try makePipe()
                child.append(reading)
                self.input = writing
            case .terminal:
                let (master, terminal) = try makeTerminal()
                child.append(terminal)
                self.input = master
            }
            self.output = try add(output)
            self.errors = try add(errors)
        } catch {
            closeChild()
            for descriptor in [self.input, self.output, self.errors] { if let descriptor { close(descriptor) } }
            throw error
        }
    }

    /// Adds the child's end of an output stream and gives ours.
    private mutating func add(_ stream: ToolStream) throws -> Int32? {
        switch stream {
        case .collected:
            let (reading, writing) = try makePipe()
            child.append(writing)
            return reading
        case .terminal:
            let (master, terminal) = try makeTerminal()
            child.append(terminal)
            return master
        case .closedPipe:
            let (reading, writing) = try makePipe()
            child.append(writing)
            close(reading)
            return nil
        case .file(let path):
            child.append(try openDescriptor(path, O_WRONLY | O_CREAT | O_TRUNC))
            return nil
        }
    }

    mutating func closeChild() {
        for descriptor in child { close(descriptor) }
        child = []
    }
}

private func openDescriptor(_ path: String, _ flags: Int32) throws -> Int32 {
    let descriptor = open(path, flags | O_CLOEXEC | O_NOCTTY, 0o644)
    guard descriptor >= 0 else { throw SystemFailure(errno: errno, "open \(path)") }
    return descriptor
}

/// Held while a pipe exists that is not yet marked close-on-exec, and while a child is started: a child that inherited
/// another child's pipe would keep it from ending. (`pipe2` would do, but Swift does not see it on every system.)
let descriptorInheritance = Monitor(())

/// A pipe that no child inherits: one that lives on would keep the pipe's reader waiting for its end.
public func makePipe() throws -> (reading: Int32, writing: Int32) {
    try descriptorInheritance.withLock { _ in
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemFailure(errno: errno, "make a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}

/// A new terminal: the user's end, and the child's end.
private func makeTerminal() throws -> (master: Int32, terminal: Int32) {
    #if canImport(Darwin)
    let master = posix_openpt(O_RDWR | O_NOCTTY)
    guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master) else {
        throw SystemFailure(errno: errno, "make a terminal")
    }
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    return (master, try openDescriptor(String(cString: name), O_RDWR))
    #else
    // What `posix_openpt` and its relatives do, which the headers hide from Swift (pty(4), ioctl_tty(2)).
    let master = try openDescriptor("/dev/ptmx", O_RDWR)
    var locked: Int32 = 0
    var number: UInt32 = 0
    let setLock: UInt = 0x4004_5431  // TIOCSPTLCK
    let getNumber: UInt = 0x8004_5430  // TIOCGPTN
    guard ioctl(master, setLock, &locked) == 0, ioctl(master, getNumber, &number) == 0 else {
        throw SystemFailure(errno: errno, "make a terminal")
    }
    return (master, try openDescriptor("/dev/pts/\(number)", O_RDWR))
    #endif
}
