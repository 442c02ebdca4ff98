import Libc
import Support

/// A part of a scan's data without the zeros stuffed after 0xFF (ITU-T T.81 F.1.2.3). Also contains the first bytes of
/// the next region, because an MCU may cross the end of a region.
///
/// `@unchecked Sendable`: used by one thread at a time, first by the thread that fills it, then by the thread that
/// joins the regions.
final class ScanRegion: @unchecked Sendable {
    /// The end of entropy-coded data: a marker, or the end of the file.
    struct End {
        let offset: Int
        /// The code of the marker; 0 at the end of the file.
        let marker: UInt8

        /// Whether the marker is RST0 to RST7.
        var isRestart: Bool { (0xD0...0xD7).contains(marker) }
    }

    /// The number of earlier regions.
    fileprivate(set) var index = 0
    /// The number of bytes, without the bytes of the next region. Only the last region may have fewer than the others.
    fileprivate(set) var count = 0
    fileprivate(set) var isLast = false
    /// The ends in this region, in order, including ends in the bytes of the next region. Contains restart markers only
    /// if the scan has a restart interval. The last entry of the last region is the end of the scan's data.
    fileprivate(set) var ends: [End] = []
    /// The data of this region and the beginning of the next region, followed by zeros.
    var bytes: UnsafePointer<UInt8> { UnsafePointer(buffer.bytes) }
    /// MCUs that were decoded ahead from an uncertain position.
    let run: SpeculativeRun?
    fileprivate let buffer: AlignedBuffer

    init(count: Int, run: SpeculativeRun?) {
        buffer = AlignedBuffer(count: Self.memory(count: count))
        self.run = run
    }

    static func memory(count: Int) -> Int { count + 2 * MCUDecoder.longestMCU }
}

/// Reads the data of a scan from a file, region by region.
struct ScanBytes {
    /// The file offset of the marker that ends the data. Nil until it is read, or if the file ends first.
    private(set) var markerOffset: Int?
    private(set) var isAtEnd = false
    private let source: any ByteSource
    /// Whether restart markers belong to the data.
    private let hasRestarts: Bool
    private let regionBytes: Int
    /// Bytes from the file.
    private let raw = AlignedBuffer(count: 64 << 10)
    /// The range of `raw` that no region contains yet.
    private var unread = 0..<0
    /// The file offset of the next byte to read.
    private var offset: Int
    /// The first bytes of the next region.
    private let carried = AlignedBuffer(count: MCUDecoder.longestMCU)
    private var carriedCount = 0
    private var carriedEnds: [ScanRegion.End] = []
    private var nextIndex = 0
    private var hasEnded = false

    init(_ source: any ByteSource, from offset: Int, hasRestarts: Bool, regionBytes: Int) {
        self.source = source
        self.offset = offset
        self.hasRestarts = hasRestarts
        self.regionBytes = regionBytes
    }

    mutating func read(into region: ScanRegion) throws {
        let target = region.buffer.bytes
        target.update(from: carried.bytes, count: carriedCount)
        region.ends = carriedEnds
        var count = carriedCount
        let room = regionBytes + MCUDecoder.longestMCU
        while count < room, !hasEnded {
            if unread.isEmpty, try !readMore() {
                end(region, at: count, marker: 0)
                break
            }
            let start = raw.bytes + unread.lowerBound
            let most = min(unread.count, room - count)
            let piece = memchr(start, 0xFF, most).map { $0 - UnsafeMutableRawPointer(start) } ?? most
            (target + count).update(from: start, count: piece)
            count += piece
            unread.removeFirst(piece)
            if piece < most { try readMark(into: region, &count) }
        }
        region.index = nextIndex
        nextIndex += 1
        region.count = min(count, regionBytes)
        isAtEnd = hasEnded && count <= regionBytes
        region.isLast = isAtEnd
        (target + count).update(repeating: 0, count: ScanRegion.memory(count: regionBytes) - count)
        carriedCount = isAtEnd ? 0 : count - regionBytes
        carried.bytes.update(from: target + regionBytes, count: carriedCount)
        carriedEnds = region.ends.filter { !isAtEnd && $0.offset >= regionBytes }.map {
            ScanRegion.End(offset: $0.offset - regionBytes, marker: $0.marker)
        }
    }

    /// Reads 0xFF and the byte that follows (B.1.1.2, B.1.1.5): a data byte of 0xFF, a restart marker, or the marker
    /// that ends the data.
    private mutating func readMark(into region: ScanRegion, _ count: inout Int) throws {
        let mark = offset - unread.count
        repeat {
            unread.removeFirst()
            if unread.isEmpty, try !readMore() {
                end(region, at: count, marker: 0)
                return
            }
        } while raw.bytes[unread.lowerBound] == 0xFF
        let code = raw.bytes[unread.lowerBound]
        unread.removeFirst()
        if code == 0 {
            region.buffer.bytes[count] = 0xFF
            count += 1
        } else if hasRestarts, code < 0xC0 || (0xD0...0xD7).contains(code) {
            // Treats an invalid marker as a damaged restart marker.
            region.ends.append(ScanRegion.End(offset: count, marker: code))
        } else {
            markerOffset = mark
            end(region, at: count, marker: code)
        }
    }

    private mutating func end(_ region: ScanRegion, at count: Int, marker: UInt8) {
        hasEnded = true
        region.ends.append(ScanRegion.End(offset: count, marker: marker))
    }

    /// Returns false at the end of the file.
    private mutating func readMore() throws -> Bool {
        let room = UnsafeMutableRawBufferPointer(start: raw.bytes, count: raw.count)
        let count = try source.read(into: room, at: offset)
        offset += count
        unread = 0..<count
        return count > 0
    }
}

extension Range<Int> {
    fileprivate mutating func removeFirst(_ count: Int = 1) { self = lowerBound + count..<upperBound }
}
