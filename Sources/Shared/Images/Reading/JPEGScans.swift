import Formats
import Support

/// What one scan of a progressive JPEG brings (ITU-T T.81 B.2.3, G.1.1.1).
struct JPEGScan: Hashable {
    /// The number of its only component; nil if there are several, as there may be in scans of the blocks' means.
    var component: Int?
    /// The band of coefficients in zigzag order: 0...0 for the blocks' means, else a part of 1...63.
    var band: ClosedRange<Int>
    /// For a scan that refines coefficients which have come before: how many of their lowest bits were missing. 0 for
    /// the first scan of a band.
    var missingBits: Int

    /// Of a scan of all four components that there may be.
    static let longestHeader = 4 + 2 * 4

    init(component: Int?, band: ClosedRange<Int>, missingBits: Int) {
        self.component = component
        self.band = band
        self.missingBits = missingBits
    }

    /// - Parameter header: what follows the length in a scan's header; nil if that makes no sense.
    init?(header: [UInt8]) {
        guard let count = header.first, header.count == 4 + 2 * Int(count), count > 0 else { return nil }
        let parameters = header.suffix(3).map { Int($0) }
        guard parameters[0] <= parameters[1], parameters[1] < 64 else { return nil }
        component = count == 1 ? Int(header[1]) : nil
        band = parameters[0]...parameters[1]
        missingBits = parameters[2] >> 4
    }
}

/// What is known of a component before its scans come.
struct JPEGComponent: Hashable {
    /// What scans know it by.
    var number: Int
    /// The larger quantisation step of its two lowest frequencies but the mean; 0 where it isn't known.
    var step: Int
    /// Its blocks of 64 coefficients.
    var blocks: Int
}

/// How much of a JPEG in several scans is decoded for an output of a given size: a pure function of what its headers
/// say.
struct ScanChoice: Hashable {
    /// Of each component the square of lowest frequencies in each block that is kept: 1, 2, 4, or 8 for all.
    let sides: [Int]
    /// Whether each scan is decoded.
    let includes: [Bool]

    /// - Parameters:
    ///   - scans: those behind the first one, which is always decoded; nil for one that makes no sense.
    ///   - scale: eighths of its size at which the picture is decoded.
    ///   - reduction: the picture's size over the output's.
    init(
        scans: [JPEGScan?], components: [JPEGComponent], scale: Int, reduction: Double, quality: DecodeOptions.Quality
    ) {
        // Larger pictures than those that were measured get all that there is.
        guard quality == .fast, scale <= 4, reduction >= 4 else {
            sides = components.map { _ in 8 }
            includes = scans.map { _ in true }
            return
        }
        // A decoder at N eighths makes N x N samples of a block: its N x N lowest frequencies are all that it needs,
        // and libjpeg-turbo, which mixes in some of the others, comes out no further from the truth without them.
        let side = [1, 2].first { $0 >= scale } ?? 4
        func isNeeded(_ scan: JPEGScan, _ component: JPEGComponent) -> Bool {
            scan.missingBits == 0
                || Self.error(step: component.step, missingBits: scan.missingBits, reduction: reduction) > 0.11
        }
        func isDetail(_ scan: JPEGScan?, of component: JPEGComponent) -> Bool {
            guard let scan else { return false }
            return scan.band.lowerBound > 0 && scan.component == component.number
        }
        let sides = components.map { component in
            // A scan that refines can be decoded only where all that it refines is known.
            let isRefined =
                side > 1
                && scans.contains {
                    isDetail($0, of: component) && $0!.missingBits > 0 && isNeeded($0!, component)
                }
            return isRefined ? 8 : side
        }
        includes = scans.map { scan in
            // The blocks' means always come to their last bit.
            guard let scan, let index = components.firstIndex(where: { isDetail(scan, of: $0) }) else { return true }
            if sides[index] == 8 { return isNeeded(scan, components[index]) }
            // The last coefficient in zigzag order that lies in the square (T.81 figure A.6).
            let last = [1: 0, 2: 4, 4: 24][side] ?? 63
            return scan.missingBits == 0 && scan.band.lowerBound <= last
        }
        self.sides = sides
    }

    /// The mean square error of luma, at most, when the last bits of all coefficients are missing: they are wrong by
    /// about their step times 2^bits, of which the resampler leaves the less, the smaller the picture becomes. The
    /// factor and the power are those of the worst photograph measured. An error of 0.11 costs 0.03 dB at 36 dB, about
    /// what a small JPEG of quality 82 has.
    static func error(step: Int, missingBits: Int, reduction: Double) -> Double {
        guard step > 0 else { return .infinity }
        let lost = Double(step) * Double(1 << min(missingBits, 15))
        return 0.75 * lost * lost / (reduction * reduction * reduction)
    }
}

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
    func ranges(including isIncluded: [Bool]) -> FileRanges {
        var ranges: [Range<Int>] = []
        var begin = 0
        for (scan, isIncluded) in zip(scans, isIncluded) where !isIncluded {
            if begin < scan.range.lowerBound { ranges.append(begin..<scan.range.lowerBound) }
            begin = scan.range.upperBound
        }
        if begin < end { ranges.append(begin..<end) }
        return FileRanges(ranges: ranges)
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

/// Parts of a file that are read as if they were all of it.
struct FileRanges: Hashable {
    /// In order, none empty.
    let ranges: [Range<Int>]

    /// Where byte `offset` of the parts lies in the file, up to the end of its part; nil behind the last one.
    func place(of offset: Int) -> Range<Int>? {
        var rest = offset
        for range in ranges {
            if rest < range.count { return range.lowerBound + rest..<range.upperBound }
            rest -= range.count
        }
        return nil
    }
}
