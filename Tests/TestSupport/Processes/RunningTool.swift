import Libc
import Support

/// A started tool that may still run. Tests can write to it in pieces, read its lines, and kill it.
///
/// Both output streams are read while it runs. Releasing the last reference kills the process if it still runs, but not
/// its children.
public final class RunningTool: Sendable {
    public let command: String
    public let processID: Int32

    private struct End {
        /// The status from waitpid(2); nil while the process runs.
        var waitStatus: Int32?
    }

    /// The writing end of the tool's standard input; nil after closing.
    private let input: Monitor<Int32?>
    private let closesInputToWait: Bool
    private let output: StreamCollector
    private let errors: StreamCollector
    private let end = Monitor(End())
    /// Retained, so that the tool's folders exist while the tool runs.
    private let home: ToolHome?

    init(
        home: ToolHome? = nil, _ executable: String, _ arguments: [String], environment: [String: String],
        folder: String, stdin: ToolInput, stdout: ToolStream, stderr: ToolStream
    ) throws {
        _ = brokenPipesAreErrors
        self.home = home
        command = ([executable] + arguments).joined(separator: " ")
        var ends = try ToolEnds(stdin, stdout, stderr)
        do {
            processID = try spawn(
                executable, arguments, environment: environment, folder: folder, descriptors: ends.child)
        } catch {
            ends.closeChild()
            for case let descriptor? in [ends.input, ends.output, ends.errors] { closeDescriptor(descriptor) }
            throw error
        }
        ends.closeChild()
        input = Monitor(ends.input)
        if case .pipe = stdin { closesInputToWait = true } else { closesInputToWait = false }
        output = try StreamCollector(ends.output)
        errors = try StreamCollector(ends.errors)
        try Thread.start { [processID, end] in Self.reap(processID, end) }.detach()
        if case .bytes(let bytes) = stdin {
            try Thread.start { [input] in
                _ = Self.write(bytes, input)
                Self.close(input)
            }.detach()
        }
    }

    deinit {
        Self.send(SIGKILL, to: processID, end)
        Self.close(input)
    }

    /// Writes to the tool's standard input, and waits while the pipe is full. Returns false if the pipe has no reader.
    @discardableResult
    public func write(_ bytes: [UInt8]) -> Bool { Self.write(bytes, input) }

    @discardableResult
    public func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// Closes the tool's standard input.
    public func closeInput() { Self.close(input) }

    /// Returns the next line of the tool's standard output, without the newline; nil at the end, or if no line arrives
    /// within `limit`.
    public func readLine(within limit: Duration = .seconds(30)) -> String? { output.line(within: limit) }

    /// Returns the next line of the tool's standard error.
    public func readErrorLine(within limit: Duration = .seconds(30)) -> String? { errors.line(within: limit) }

    /// Waits until the tool has written `count` bytes to standard output. Returns false if the tool ends first or
    /// `limit` has passed.
    public func waitForOutput(_ count: Int, within limit: Duration = .seconds(30)) -> Bool {
        output.wait(forBytes: count, within: limit)
    }

    /// Waits until the tool's standard error contains this text. Returns false if the tool ends first or `limit` has
    /// passed.
    public func waitForErrors(_ text: String, within limit: Duration = .seconds(30)) -> Bool {
        errors.wait(for: text, within: limit)
    }

    /// Sends a signal, unless the process has ended.
    public func kill(_ signal: Int32 = SIGTERM) { Self.send(signal, to: processID, end) }

    /// Sends several signals while the process is stopped, so that all of them are pending when it continues.
    public func kill(atOnce signals: [Int32]) {
        kill(SIGSTOP)
        var information = siginfo_t()
        while waitid(P_PID, id_t(processID), &information, WSTOPPED) != 0 && errno == EINTR {}
        for signal in signals + [SIGCONT] { kill(signal) }
    }

    public var isRunning: Bool { end.withLock { $0.waitStatus == nil } }

    /// The peak resident memory so far, in bytes; nil if the tool has ended or the system does not report it (`VmHWM`,
    /// Linux only). getrusage(2) would include the memory of the test process.
    public var peakMemory: Int? {
        guard let status = try? File.openInput("/proc/\(processID)/status") else { return nil }
        // Files in /proc have the size 0.
        guard let bytes = try? status.upTo(65536) else { return nil }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix("VmHWM:") {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
            return words.count > 1 ? Int(words[1]).map { $0 * 1024 } : nil
        }
        return nil
    }

    /// Closes the tool's standard input if it is a pipe, and waits until the tool has ended and its streams are read.
    /// Kills the tool after `deadline`, but not its children.
    public func wait(deadline: Duration = .seconds(60)) -> ToolOutput {
        if closesInputToWait { closeInput() }
        var overran = false
        if end.wait(atMost: deadline, for: { $0.waitStatus }) == nil {
            overran = true
            kill(SIGKILL)
        }
        let status = end.wait { $0.waitStatus }
        // A child of the tool may keep the streams open after the tool has ended.
        let stdout = output.all(within: .seconds(5))
        let stderr = errors.all(within: .seconds(5))
        let signal = status & 0x7F
        return ToolOutput(
            command: command, status: signal == 0 ? (status >> 8) & 0xFF : nil, signal: signal == 0 ? nil : signal,
            overran: overran, stdoutBytes: stdout, stderrBytes: stderr)
    }

    /// Waits for the process. Frees its ID only under the lock, so that `send` never signals another process.
    private static func reap(_ processID: Int32, _ end: Monitor<End>) {
        var information = siginfo_t()
        while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
        end.update {
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
            $0.waitStatus = status
        }
    }

    private static func send(_ signal: Int32, to processID: Int32, _ end: Monitor<End>) {
        end.withLock { if $0.waitStatus == nil { sendSignal(processID, signal) } }
    }

    private static func write(_ bytes: [UInt8], _ input: Monitor<Int32?>) -> Bool {
        input.withLock { descriptor in
            guard let descriptor else { return false }
            return writeAll(bytes, to: descriptor)
        }
    }

    private static func close(_ input: Monitor<Int32?>) {
        input.withLock { descriptor in
            if let open = descriptor { closeDescriptor(open) }
            descriptor = nil
        }
    }
}

extension File {
    /// Returns the bytes of a single read, for files without a size.
    fileprivate func upTo(_ limit: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = try read(into: UnsafeMutableRawBufferPointer(buffer))
        }
    }
}

/// Ignores SIGPIPE, so that a tool that ends early does not end the tests. Child processes get the default action.
private let brokenPipesAreErrors: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

private func sendSignal(_ processID: Int32, _ signal: Int32) { _ = kill(processID, signal) }
private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

private func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { bytes in
        var done = 0
        while done < bytes.count {
            let count = write(descriptor, bytes.baseAddress! + done, bytes.count - done)
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { return false }
            done += count
        }
        return true
    }
}
