import Formats
import Support

/// Iterates over the segments of a JPEG, reading the file in pieces and skipping the bodies.
struct JPEGSegments {
    private let source: any ByteSource
    private let options: JPEGOptions
    private let buffer = AlignedBuffer(count: 128 << 10)
    /// The range of the file that is in the buffer.
    private var filled = 0..<0
    private var markers: JPEGMarkers

    init(_ source: any ByteSource, at offset: Int, options: JPEGOptions) {
        self.source = source
        self.options = options
        markers = JPEGMarkers(at: offset)
    }

    mutating func next() throws -> JPEGMarkers.Segment? {
        while true {
            let offset = markers.offset
            if !filled.contains(offset) {
                try options.check()
                let room = UnsafeMutableRawBufferPointer(start: buffer.bytes, count: buffer.count)
                filled = offset..<offset + (try source.read(into: room, at: offset))
                if filled.isEmpty { return nil }
            }
            let bytes = UnsafeRawBufferPointer(
                start: buffer.bytes + (offset - filled.lowerBound), count: filled.upperBound - offset)
            if let segment = markers.next(bytes) { return segment }
        }
    }
}
