import Libc
import Support

/// The source of a tool's standard input.
public enum ToolInput: Sendable, ExpressibleByStringLiteral {
    /// Nothing: `/dev/null`.
    case empty
    /// These bytes, through a pipe that is closed after them.
    case bytes([UInt8])
    /// A pipe that stays open until `closeInput()`.
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
    /// Collected from a terminal, which turns `\n` into `\r\n`.
    case terminal
    /// A pipe whose reading end is already closed.
    case closedPipe
    /// A file that is created or truncated, such as `/dev/null` or `/dev/full`.
    case file(String)
}

/// The three descriptors of a child process, and the parent's ends of its streams.
struct ToolEnds {
    /// The child's descriptors 0, 1 and 2; closed in the parent after the start.
    var child: [Int32] = []
    /// The parent's ends: to write the child's input, and to read its output and errors.
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

    /// Adds the child's end of an output stream and returns the parent's end.
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

/// A lock, held while a pipe is not yet close-on-exec and while a child process is started: a child that inherits
/// another child's pipe would keep the pipe open. (`pipe2` would avoid this, but Swift does not import it on every
/// system.)
let descriptorInheritance = Monitor(())

/// Creates a pipe that no child process inherits: an inherited writing end would keep the reader waiting.
public func makePipe() throws -> (reading: Int32, writing: Int32) {
    try descriptorInheritance.withLock { _ in
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw SystemFailure(errno: errno, "create a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }
}

/// Creates a terminal and returns both of its ends.
private func makeTerminal() throws -> (master: Int32, terminal: Int32) {
    #if canImport(Darwin)
    let master = posix_openpt(O_RDWR | O_NOCTTY)
    guard master >= 0, grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master) else {
        throw SystemFailure(errno: errno, "make a terminal")
    }
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    return (master, try openDescriptor(String(cString: name), O_RDWR))
    #else
    // The calls of `posix_openpt`, `unlockpt` and `ptsname`, which Swift does not import (pty(4), ioctl_tty(2)).
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
