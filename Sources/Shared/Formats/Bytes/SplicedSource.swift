import Support

/// A concatenation of ranges of a source (`stored`) and of bytes in memory (`made`).
public struct SplicedSource: ByteSource {
    public enum Piece: Sendable {
        case stored(Range<Int>)
        case made([UInt8])

        var count: Int {
            switch self {
            case .stored(let range): range.count
            case .made(let bytes): bytes.count
            }
        }
    }

    public let count: Int
    private let source: any ByteSource
    private let pieces: [Piece]
    private let starts: [Int]

    public init(_ source: any ByteSource, _ pieces: [Piece]) {
        self.source = source
        self.pieces = pieces
        var end = 0
        starts = pieces.map { piece in
            defer { end += piece.count }
            return end
        }
        count = end
    }

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        guard offset >= 0, offset < count else { return 0 }
        var index = lastPiece(at: offset)
        var done = 0
        while done < buffer.count, index < pieces.count {
            let start = offset + done - starts[index]
            let length = min(buffer.count - done, pieces[index].count - start)
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + length])
            switch pieces[index] {
            case .made(let bytes): room.copyBytes(from: bytes[start..<start + length])
            case .stored(let range):
                let got = try source.read(into: room, at: range.lowerBound + start)
                guard got == length else { return done + got }
            }
            done += length
            index += 1
        }
        return done
    }

    /// Returns the last piece that begins at or before `offset`, by binary search.
    private func lastPiece(at offset: Int) -> Int {
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        return low
    }
}
