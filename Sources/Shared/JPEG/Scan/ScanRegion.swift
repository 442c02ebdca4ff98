import Libc
import Support

/// A part of a scan's data, without the zeros that were stuffed in behind 0xFF (ITU-T T.81 F.1.2.3), and with the begin
/// of what follows, so that an MCU which begins in the part can be read to its end.
///
/// `@unchecked Sendable`: only the thread that fills it, and then the one that it is handed to, touches it.
final class ScanRegion: @unchecked Sendable {
    /// Where data ends: at a marker, or at the file's end.
    struct End {
        let offset: Int
        /// The marker's code; 0 at the file's end.
        let marker: UInt8

        /// Whether the marker is one of RST0 to RST7.
        var isRestart: Bool { (0xD0...0xD7).contains(marker) }
    }

    /// How many come before it.
    fileprivate(set) var index = 0
    /// Bytes that are its own: all but the last have the same number.
    fileprivate(set) var count = 0
    /// Whether nothing follows.
    fileprivate(set) var isLast = false
    /// In order, also those in the bytes that follow its own. A scan has restart markers only if it says so, and its
    /// last end is that of its data.
    fileprivate(set) var ends: [End] = []
    /// With zeros behind the last one.
    var bytes: UnsafePointer<UInt8> { UnsafePointer(buffer.bytes) }
    /// What was decoded from somewhere within it, before it was known how it continues what is before.
    let run: SpeculativeRun?
    fileprivate let buffer: AlignedBuffer

    init(count: Int, run: SpeculativeRun?) {
        buffer = AlignedBuffer(count: Self.memory(count: count))
        self.run = run
    }

    static func memory(count: Int) -> Int { count + 2 * MCUDecoder.longestMCU }
}

/// Reads a scan's data from a file, region by region.
struct ScanBytes {
    /// Where the marker lies at which the data ends; nil as long as it has not come, or if the file ends there.
    private(set) var markerOffset: Int?
    /// Whether the last region has been read.
    private(set) var isAtEnd = false
    private let source: any ByteSource
    /// Whether restart markers belong to the data.
    private let hasRestarts: Bool
    private let regionBytes: Int
    /// What has been read of the file, and what of that has not been looked at.
    private let raw = AlignedBuffer(count: 64 << 10)
    private var unread = 0..<0
    /// The file's next byte.
    private var offset: Int
    /// What belongs to the next region, too.
    private let carried = AlignedBuffer(count: MCUDecoder.longestMCU)
    private var carriedCount = 0
    private var carriedEnds: [ScanRegion.End] = []
    private var nextIndex = 0
    private var hasEnded = false

    /// - Parameter offset: where the data begins in the file.
    init(_ source: any ByteSource, from offset: Int, hasRestarts: Bool, regionBytes: Int) {
        self.source = source
        self.offset = offset
        self.hasRestarts = hasRestarts
        self.regionBytes = regionBytes
    }

    /// Fills a region with what comes next. Throws what the source throws.
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

    /// Reads 0xFF and what it means (B.1.1.2, B.1.1.5): a byte of data, a restart, or the end.
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
            // What is no marker at all stands in the place of a restart at most.
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

    /// False at the file's end.
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
