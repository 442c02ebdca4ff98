import Testing

@testable import Support

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite struct InterruptionTests {
    @Test func workIsWokenAndNewWorkRefused() throws {
        let interruption = Interruption()
        let woken = Monitor(false)
        let started = Monitor(false)
        let thread = try Thread.start {
            try? interruption.during(onCancel: { woken.update { $0 = true } }) {
                started.update { $0 = true }
                woken.wait { $0 ? () : nil }
            }
        }
        started.wait { $0 ? () : nil }
        interruption.cancel(.outputClosed)
        thread.join()
        #expect(throws: Cancelled.self) { try interruption.check() }
        #expect(throws: Cancelled.self) { try interruption.during {} }
        #expect(throws: Cancelled.self) { try interruption.sleep(.seconds(100)) }
        interruption.cancel(.signal(SIGINT))
        #expect(interruption.cause == .outputClosed)
    }

    /// Two threads that wait for signals would share them out between them.
    @Test func signalsAreCaughtOnce() throws {
        let answers = Monitor<[Bool]>([])
        // On a thread of its own, whose signals are then blocked.
        try Thread.start {
            let interruption = Interruption()
            for _ in 0..<2 { if let answer = try? interruption.catchSignals() { answers.update { $0.append(answer) } } }
        }.join()
        #expect(answers.withLock { $0 } == [true, false])
    }

    /// timeout(1) sends a signal to its child and to the child's group.
    @Test func aSignalThatIsSentTwiceIsOne() {
        #expect(!Interruption.isSecond(SIGTERM, after: SIGTERM, span: .milliseconds(10)))
        #expect(Interruption.isSecond(SIGTERM, after: SIGTERM, span: .seconds(1)))
        #expect(Interruption.isSecond(SIGTERM, after: SIGINT, span: .zero))
    }

    @Test func aReaderThatGoesStopsTheRun() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let interruption = Interruption()
        try interruption.watchReader(of: ends[1])
        close(ends[0])
        #expect(throws: Cancelled.self) { try interruption.sleep(.seconds(60)) }
        #expect(interruption.cause == .outputClosed)
    }
}

@Suite struct OutputFileTests {
    private let folder = "/tmp/apod-tools-test-\(UInt64.random(in: 0...UInt64.max))"

    private func names() -> Set<String> {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: Set<String> = []
        while let entry = readdir(stream) {
            names.insert(withUnsafePointer(to: &entry.pointee.d_name) { String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self)) })
        }
        return names.subtracting([".", ".."])
    }

    @Test func nothingShowsUntilItIsWhole() throws {
        try makeFolder(folder + "/a/b")
        defer { for name in ["/a/b", "/a", "/out", ""] { remove(folder + name) } }
        do {
            let output = try OutputFile(path: folder + "/out")
            try Array("half".utf8).withUnsafeBytes { try output.write($0) }
            #expect(!names().contains("out"))
        }
        #expect(names() == ["a"])
        let output = try OutputFile(path: folder + "/out")
        try Array("whole".utf8).withUnsafeBytes { try output.write($0) }
        try output.commit()
        #expect(names() == ["a", "out"])
        #expect(try File.openInput(folder + "/out").bytes(0..<100) == Array("whole".utf8))
    }

    @Test func placesThatCannotBeMadeAreSaidToBeSo() {
        #expect(throws: SystemFailure(errno: ENOENT, "create /nowhere/x", purpose: .makeOutput)) {
            try OutputFile(path: "/nowhere/x")
        }
        #expect(throws: SystemFailure.self) { try makeFolder("/dev/null/x") }
        #expect(SystemFailure(errno: ENOENT, "x", purpose: .makeOutput).exitCode == .cannotCreate)
        #expect(SystemFailure(errno: ENOSPC, "x", purpose: .makeOutput).exitCode == .io)
        #expect(throws: SystemFailure(errno: EISDIR, "read /tmp", purpose: .openInput)) { try File.openInput("/tmp") }
    }

    @Test func aPipeIsWrittenToAndNotReplaced() throws {
        try makeFolder(folder)
        let path = folder + "/pipe.jpg"
        defer { for name in ["/pipe.jpg", ""] { remove(folder + name) } }
        #expect(mkfifo(path, 0o600) == 0)
        let reader = try File.open(path, O_RDONLY | O_NONBLOCK)
        let output = try OutputFile(path: path)
        try Array("whole".utf8).withUnsafeBytes { try output.write($0) }
        try output.commit()
        var piece = [UInt8](repeating: 0, count: 16)
        let count = try piece.withUnsafeMutableBytes { try reader.read(into: $0) }
        #expect(piece[..<count] == Array("whole".utf8)[...])
        #expect(names() == ["pipe.jpg"])
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }
}

@Suite struct FileTests {
    /// Both ends of a pipe that does not block.
    private func pipeEnds() throws -> (reader: File, writer: File) {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        for end in ends { #expect(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
        return (try File(descriptor: ends[0], path: "pipe"), try File(descriptor: ends[1], path: "pipe"))
    }

    @Test func aStreamThatDoesNotBlockIsWaitedFor() throws {
        let (reader, writer) = try pipeEnds()
        // More than a pipe holds, so that either side must wait for the other.
        let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let thread = try Thread.start { try? writer.write(bytes) }
        let read = try reader.contents(atMost: bytes.count)
        thread.join()
        #expect(read == bytes)
    }

    @Test func noMoreIsReadThanIsWanted() throws {
        let (reader, writer) = try pipeEnds()
        try writer.write(Array("0123456789".utf8))
        #expect(try reader.contents(atMost: 4) == Array("0123".utf8))
    }
}
