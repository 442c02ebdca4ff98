import Libc

/// Finds the ends of a JPEG's scans: the first marker behind the entropy-coded data that is no restart (ITU T.81 B.1.1,
/// B.2.1). How the scans are coded makes no difference.
final class JPEGScanReader: ScanReader {
    private enum State {
        /// Outside of scans, before a marker.
        case between
        /// Behind a 0xFF there.
        case marker
        /// In a segment's length, behind its first byte where that is known.
        case length(code: UInt8, first: UInt8?)
        /// In a segment, of which so many bytes are left.
        case segment(code: UInt8, rest: Int)
        /// In entropy-coded data.
        case data
        /// Behind a 0xFF there, which lay at this offset.
        case dataMarker(start: Int)
        case over
    }

    private enum Code {
        static let stuffing: UInt8 = 0x00
        static let restarts: ClosedRange<UInt8> = 0xD0...0xD7
        static let endOfImage: UInt8 = 0xD9
        static let startOfScan: UInt8 = 0xDA

        /// Whether a code begins a segment: neither stuffing, nor a restart, SOI, TEM, or reserved (table B.1).
        static func hasSegment(_ code: UInt8) -> Bool { 0xC0...0xCF ~= code || 0xDA...0xFE ~= code }
    }

    private var state = State.between
    private var offset = 0
    private var scans = 0

    var isOver: Bool { if case .over = state { true } else { false } }

    func take(_ bytes: UnsafeRawBufferPointer, found: (CompleteScan) -> Void) {
        var index = 0
        /// The place of the next 0xFF, or the end.
        func nextMark() -> Int {
            guard let hit = memchr(bytes.baseAddress! + index, 0xFF, bytes.count - index) else { return bytes.count }
            return UnsafeRawPointer(hit) - bytes.baseAddress!
        }
        while index < bytes.count {
            switch state {
            case .between:
                index = nextMark() + 1
                if index <= bytes.count { state = .marker }
            case .data:
                index = nextMark() + 1
                if index <= bytes.count { state = .dataMarker(start: offset + index - 1) }
            case .segment(let code, let rest):
                let count = min(rest, bytes.count - index)
                index += count
                state = after(code: code, rest: rest - count)
            case .marker, .dataMarker, .length:
                state = next(bytes[index], found: found)
                index += 1
            case .over: return
            }
        }
        offset += bytes.count
    }

    /// The state behind one byte of a marker or a length.
    private func next(_ byte: UInt8, found: (CompleteScan) -> Void) -> State {
        switch state {
        case .marker:
            if byte == 0xFF { return state }
            if byte == Code.endOfImage { return .over }
            return Code.hasSegment(byte) ? .length(code: byte, first: nil) : .between
        case .dataMarker(let start):
            if byte == 0xFF { return state }
            if byte == Code.endOfImage { return .over }
            guard Code.hasSegment(byte) else { return .data }
            scans += 1
            found(CompleteScan(number: scans, end: start))
            return .length(code: byte, first: nil)
        case .length(let code, nil): return .length(code: code, first: byte)
        case .length(let code, let first?):
            // A length below 2 cannot be; libjpeg takes it for 2.
            return after(code: code, rest: max(Int(first) << 8 | Int(byte), 2) - 2)
        case .between, .data, .segment, .over: return state
        }
    }

    /// The state within a segment of which so much is left.
    private func after(code: UInt8, rest: Int) -> State {
        if rest > 0 { return .segment(code: code, rest: rest) }
        return code == Code.startOfScan ? .data : .between
    }
}
