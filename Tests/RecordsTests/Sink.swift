import Libc
import Support

import func TestSupport.makePipe

/// A pipe whose output a separate thread collects.
final class Sink: Sendable {
    let file: File
    private let collected = Monitor((bytes: [UInt8](), isDone: false))

    init() throws {
        let pipe = try makePipe()
        file = try File(descriptor: pipe.writing, path: "sink")
        let reader = try File(descriptor: pipe.reading, path: "sink")
        try Thread.start { [collected] in
            var piece = [UInt8](repeating: 0, count: 4096)
            while let count = piece.withUnsafeMutableBytes({ try? reader.read(into: $0) }), count > 0 {
                collected.update { $0.bytes += piece[..<count] }
            }
            collected.update { $0.isDone = true }
        }.detach()
    }

    func lines() -> [String] {
        closeWriter(file)
        return collected.wait { $0.isDone ? $0.bytes : nil }.split(separator: 10).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    func waitForLines(_ count: Int) -> [String] {
        collected.wait { $0.bytes.count(where: { $0 == 10 }) >= count ? $0.bytes : nil }
            .split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Closes the pipe. Redirects its descriptor to /dev/null, because `File` closes the descriptor later.
func closeWriter(_ file: File) {
    let null = open("/dev/null", O_WRONLY)
    dup2(null, file.descriptor)
    close(null)
}
