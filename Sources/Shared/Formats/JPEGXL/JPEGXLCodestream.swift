import Support

/// The codestream of a JPEG XL without its boxes (ISO/IEC 18181-2 §9). libjxl 0.7 misreads boxes with a size of 64 bits.
public struct JPEGXLCodestream: ByteSource {
    private let source: any ByteSource
    /// The ranges of the file that hold the codestream, in order; none is empty.
    private let parts: [Range<Int>]
    /// The offsets of the parts in the codestream.
    private let starts: [Int]
    public let count: Int

    /// Throws `FormatFailure`, and the errors of the source.
    public init(of source: any ByteSource) throws {
        var window = SourceWindow.forHeader(source)
        try self.init(&window, mayBeCut: true)
    }

    /// - Parameter mayBeCut: accepts a file that ends within a box behind the first part.
    init(_ window: inout SourceWindow, mayBeCut: Bool) throws {
        source = window.source
        parts = try Self.parts(&window, mayBeCut: mayBeCut)
        var end = 0
        starts = parts.map { part in
            defer { end += part.count }
            return end
        }
        count = end
    }

    private static func parts(_ window: inout SourceWindow, mayBeCut: Bool) throws -> [Range<Int>] {
        let end = window.count
        guard try window.byte(at: 0) == 0 else { return [0..<end] }
        var parts: [Range<Int>] = []
        do {
            try Boxes.walk(&window, 0..<end) { _, box in
                switch box.type {
                case "jxlc": parts.append(box.body)
                // The part's number comes first.
                case "jxlp": parts.append(box.body.dropFirst(4))
                default: break
                }
                return true
            }
        } catch Boxes.Fault.truncated {
            guard mayBeCut, !parts.isEmpty else { throw FormatFailure.truncated(.jpegXL) }
        } catch Boxes.Fault.corrupt(let fault) {
            throw FormatFailure.corrupt(.jpegXL, fault)
        }
        guard !parts.isEmpty else { throw FormatFailure.truncated(.jpegXL) }
        return parts.filter { !$0.isEmpty }
    }

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        guard offset >= 0, offset < count else { return 0 }
        var part = lastPart(at: offset)
        var done = 0
        while done < buffer.count, part < parts.count {
            let within = offset + done - starts[part]
            let length = min(buffer.count - done, parts[part].count - within)
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + length])
            let read = try source.read(into: room, at: parts[part].lowerBound + within)
            done += read
            if read < length { break }
            part += 1
        }
        return done
    }

    /// The part that contains an offset, by bisection.
    private func lastPart(at offset: Int) -> Int {
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        return low
    }
}
