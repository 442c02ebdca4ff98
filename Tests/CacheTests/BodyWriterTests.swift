import Libc
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Digests of written bytes, computed on the calling thread or on a background thread.
@Suite struct BodyWriterTests {
    private let world: Surroundings
    private let file: File

    init() throws {
        world = try Surroundings()
        let root = CacheRoot(world.root)
        file = try PartialFile(name: CacheRoot.partials + "/body", root: root).open()
    }

    /// Returns bytes without a repeating pattern, so that a lost or repeated piece changes the digest.
    private func body(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 7, count: count)
        for (number, place) in stride(from: 0, to: count, by: 4093).enumerated() { bytes[place] = UInt8(number & 255) }
        return bytes
    }

    private func write(_ bytes: [UInt8], to writer: BodyWriter, by piece: Int) throws {
        try bytes.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: piece) {
                try writer.write(.init(rebasing: bytes[start..<min(start + piece, bytes.count)]))
            }
        }
    }

    /// The sizes are near the thresholds at which the digest thread starts, wakes and receives its last piece.
    @Test(arguments: [0, 1, 4 << 20, (4 << 20) + 1, (5 << 20) - 1, (9 << 20) + 12_345])
    func digestCoversAllBytes(_ count: Int) throws {
        let bytes = body(count)
        let writer = BodyWriter(file)

        try write(bytes, to: writer, by: 100_000)

        #expect(writer.count == count)
        #expect(try writer.finish() == BlobStore.sha256(of: MemorySource(bytes)))
        #expect(try Surroundings.contents(file.path) == bytes)
    }

    @Test(arguments: [1000, 6 << 20])
    func digestContinuesAfterExistingBytes(_ start: Int) throws {
        let bytes = body(12 << 20)
        try file.write(Array(bytes[..<start]))
        let writer = BodyWriter(file, after: start, hash: try BlobStore.digest(of: file))

        try write(Array(bytes[start...]), to: writer, by: 1 << 20)

        #expect(try writer.finish() == BlobStore.sha256(of: MemorySource(bytes)))
    }

    @Test func abandonedWriterClosesItsFile() throws {
        let root = CacheRoot(world.root)
        weak var other: File?
        do {
            let opened = try PartialFile(name: CacheRoot.partials + "/other", root: root).open()
            other = opened
            try write(body(8 << 20), to: BodyWriter(opened), by: 1 << 20)
        }

        #expect(other == nil)
    }

    @Test func fileTruncatedDuringTheDownloadIsAFailure() throws {
        let writer = BodyWriter(file, after: 8 << 20)
        try write(body(6 << 20), to: writer, by: 1 << 20)

        #expect(throws: FileReplaced.self) { try writer.finish() }
    }
}
