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
        var segments = JPEGSegments(source, at: offset, options: options)
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
}
