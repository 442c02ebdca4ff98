import Libc
import TestSupport
import Testing

@testable import Support

@Suite struct InterruptionTests {
    @Test func cancellationWakesWorkAndRefusesNewWork() throws {
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

    /// If two threads waited for signals, each would receive only some of them.
    @Test func secondCallOfCatchSignalsDoesNothing() throws {
        let answers = Monitor<[Bool]>([])
        // On a new thread, since the call blocks the thread's signals.
        try Thread.start {
            let interruption = Interruption()
            for _ in 0..<2 { if let answer = try? interruption.catchSignals() { answers.update { $0.append(answer) } } }
        }.join()
        #expect(answers.withLock { $0 } == [true, false])
    }

    /// timeout(1) sends a signal to its child and to the child's group.
    @Test func signalSentTwiceCountsOnce() {
        #expect(!Interruption.isSecond(SIGTERM, after: SIGTERM, span: .milliseconds(10)))
        #expect(Interruption.isSecond(SIGTERM, after: SIGTERM, span: .seconds(1)))
        #expect(Interruption.isSecond(SIGTERM, after: SIGINT, span: .zero))
    }

    @Test func closedOutputStopsTheRun() throws {
        let pipe = try makePipe()
        let interruption = Interruption()
        try interruption.watchReader(of: pipe.writing)
        close(pipe.reading)
        #expect(throws: Cancelled.self) { try interruption.sleep(.seconds(60)) }
        #expect(interruption.cause == .outputClosed)
    }
}

@Suite struct FileTests {
    /// Returns both ends of a non-blocking pipe.
    private func pipeEnds() throws -> (reader: File, writer: File) {
        let pipe = try makePipe()
        for end in [pipe.reading, pipe.writing] { #expect(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
        return (try File(descriptor: pipe.reading, path: "pipe"), try File(descriptor: pipe.writing, path: "pipe"))
    }

    @Test func readsAndWritesWaitForANonBlockingStream() throws {
        let (reader, writer) = try pipeEnds()
        // More bytes than a pipe holds, so that reader and writer must wait for each other.
        let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let thread = try Thread.start { try? writer.write(bytes) }
        let read = try reader.contents(atMost: bytes.count)
        thread.join()
        #expect(read == bytes)
    }

    @Test func readsStopAtTheRequestedCount() throws {
        let (reader, writer) = try pipeEnds()
        try writer.write(Array("0123456789".utf8))
        #expect(try reader.contents(atMost: 4) == Array("0123".utf8))
    }
}
