import Libc
import TestSupport
import Testing

@testable import Support

/// Regular files, pipes and deleted files as inputs.
@Suite struct InputFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ path: String, atMost limit: Int = 1000) throws -> InputFile {
        try InputFile(path, byteLimit: limit, interruption: Interruption())
    }

    /// Returns a FIFO, and an open file that holds both ends of the FIFO, so that opening the FIFO again does not
    /// block.
    private func fifo() throws -> (path: String, held: File) {
        let path = folder.path("fifo")
        guard mkfifo(path, 0o600) == 0 else { throw SystemFailure(errno: errno, "make \(path)") }
        return (path, try File.open(path, O_RDWR))
    }

    /// Returns a FIFO and the thread that writes these bytes to it.
    private func fifo(_ bytes: [UInt8]) throws -> (path: String, writer: Thread) {
        let path = folder.path("fifo")
        guard mkfifo(path, 0o600) == 0 else { throw SystemFailure(errno: errno, "make \(path)") }
        // If the reader stops, the write fails instead of ending the process: see RunningTool.
        _ = signal(SIGPIPE, SIG_IGN)
        return (path, try Thread.start { try? File.open(path, O_WRONLY).write(bytes) })
    }

    @Test func regularFileIsReadInPlace() throws {
        let path = try folder.write("a", "0123456789")
        // The limit is only for streams.
        let input = try open(path, atMost: 3)
        #expect(input.count == 10 && input.sha256OfStream == nil && input.path == path)
        #expect(try input.bytes(2..<5) == Array("234".utf8))
    }

    @Test func pipeIsReadToItsEnd() throws {
        let bytes = SeededRandom.sample(200_000)
        let (path, writer) = try fifo(bytes)
        defer { writer.join() }
        let input = try open(path, atMost: bytes.count)

        #expect(input.count == bytes.count)
        #expect(try input.bytes(100_000..<100_010) == Array(bytes[100_000..<100_010]))
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        #expect(input.sha256OfStream == hash.finish())
    }

    @Test func streamOverTheLimitIsRefused() throws {
        let (path, writer) = try fifo([UInt8](repeating: 7, count: 1001))
        defer { writer.join() }
        let failure = #expect(throws: InputTooLarge.self) { try open(path) }
        #expect(failure?.exitCode == .notAllowed)
    }

    @Test func cancellationEndsTheWaitForData() throws {
        let (path, held) = try fifo()
        let interruption = Interruption()
        let waiting = Monitor<(any Error)?>(nil)
        let reader = try Thread.start {
            do {
                _ = try InputFile(path, byteLimit: 9, interruption: interruption)
            } catch {
                waiting.update { $0 = error }
            }
        }
        interruption.cancel(.signal(SIGINT))
        reader.join()
        #expect(waiting.withLock { $0 } is Cancelled)
        withExtendedLifetime(held) {}
    }

    @Test func deletedFileIsReadAsAStream() throws {
        #if os(Linux)
        let file = try File.open(try folder.write("a", "abc"), O_RDONLY)
        unlink(folder.path("a"))
        let input = try open("/proc/self/fd/\(file.descriptor)")
        #expect(try input.sha256OfStream != nil && input.bytes(0..<9) == Array("abc".utf8))
        #endif
    }

    @Test func missingFilesAndFoldersCannotBeOpened() throws {
        for path in [folder.path("none"), folder.path] {
            let failure = #expect(throws: SystemFailure.self) { try open(path) }
            #expect(failure?.exitCode == .noInput)
        }
    }
}

extension SeededRandom {
    fileprivate static func sample(_ count: Int) -> [UInt8] {
        var random = SeededRandom(name: "input")
        return random.bytes(count)
    }
}
