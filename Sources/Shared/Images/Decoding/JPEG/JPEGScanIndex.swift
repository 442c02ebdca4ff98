import Formats
import Support

/// Where the scans of a JPEG lie behind its first one: found by a walk over its markers, in which entropy-coded data is
/// only searched for the next one.
struct JPEGScanIndex {
    /// Each with its header and its data; what it brings is nil if its header makes no sense.
    private(set) var scans: [(scan: JPEGScan?, range: Range<Int>)] = []
    /// Whether the end marker is there.
    private(set) var hasEnd = false
    /// Where the picture ends: behind the end marker, or behind the last whole marker segment or its data.
    private(set) var end = 0

    /// - Parameter offset: where the first scan's entropy-coded data begins.
    /// Throws what the source throws, and `.tooManyScans` for more than allowed.
    init(_ source: any ByteSource, from offset: Int, options: DecodeOptions) throws {
        var segments = SegmentReader(source, at: offset, options: options)
        let limit = options.limits.maxScans
        var begun: (scan: JPEGScan?, place: Int)?
        while let segment = try segments.next() {
            if let begun { scans.append((begun.scan, begun.place..<segment.start)) }
            begun = nil
            // Of a segment that is broken off nothing is of use.
            let isWhole = segment.body.upperBound <= source.count
            end = isWhole ? segment.body.upperBound : segment.start
            hasEnd = segment.code == JPEGMarkers.endOfImage
            if hasEnd || !isWhole { return }
            guard segment.code == JPEGMarkers.startOfScan else { continue }
            let header = segment.body.count <= JPEGScan.longestHeader ? try source.bytes(segment.body) : []
            begun = (JPEGScan(header: header), segment.start)
            // The first scan, and the one that has begun.
            if scans.count + 2 > limit { throw ImageError.tooManyScans(limit: limit) }
        }
        end = segments.end
        if let begun { scans.append((begun.scan, begun.place..<end)) }
    }

    /// The parts of the file that are left when some scans are taken out.
    func ranges(including isIncluded: [Bool]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var begin = 0
        for (scan, isIncluded) in zip(scans, isIncluded) where !isIncluded {
            if begin < scan.range.lowerBound { ranges.append(begin..<scan.range.lowerBound) }
            begin = scan.range.upperBound
        }
        if begin < end { ranges.append(begin..<end) }
        return ranges
    }

    /// The segments of a file, which is read in pieces; what is in a segment is passed over.
    private struct SegmentReader {
        private let source: any ByteSource
        private let options: DecodeOptions
        private let buffer = AlignedBuffer(count: 128 << 10)
        /// What of the file is in the buffer.
        private var filled = 0..<0
        private var markers: JPEGMarkers

        init(_ source: any ByteSource, at offset: Int, options: DecodeOptions) {
            self.source = source
            self.options = options
            markers = JPEGMarkers(at: offset)
        }

        /// Where what has been read ends, but for a marker whose length is missing.
        var end: Int { markers.unfinished ?? markers.offset }

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
}
