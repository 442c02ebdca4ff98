import Formats

/// Reads the chunks and the compressed pixels of an interlaced PNG, and reports the end of each pass. Stops if the
/// picture is not interlaced or exceeds the limits.
final class InterlacedPNGReader: ScanReader {
    private enum State {
        /// Skipping this number of bytes before the next chunk: the signature, ignored chunks, checksums.
        case skip(Int)
        /// Reading the length and type of a chunk.
        case chunk([UInt8])
        case header([UInt8])
        /// Reading pixel data, with the number of bytes left in the chunk.
        case data(Int)
        case over
    }

    /// The content of IHDR; nil before it is read.
    private(set) var shape: InterlacedPNGShape?
    private var state = State.skip(8)
    private let limits: PreviewLimits
    private var offset = 0
    private var inflater: Inflater?
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 << 10, alignment: 16)
    private var unpacked = 0
    private var pass = 1
    /// Called with filtered rows in pieces. A piece never extends into the next pass.
    private let receive: Receiver?

    typealias Receiver = (_ pass: Int, UnsafeRawBufferPointer, InterlacedPNGShape) -> Void

    init(limits: PreviewLimits, receive: Receiver? = nil) {
        self.limits = limits
        self.receive = receive
    }

    deinit { room.deallocate() }

    var isOver: Bool { if case .over = state { true } else { false } }

    func take(_ bytes: UnsafeRawBufferPointer, found: (CompleteScan) -> Void) {
        var index = 0
        while index < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[index...])
            switch state {
            case .skip(let left):
                let count = min(left, rest.count)
                index += count
                state = left > count ? .skip(left - count) : .chunk([])
            case .chunk(var head):
                index += Self.gather(&head, 8, rest)
                state = head.count < 8 ? .chunk(head) : begin(head)
            case .header(var header):
                index += Self.gather(&header, 13, rest)
                state = header.count < 13 ? .header(header) : begin(header: header)
            case .data(let left):
                let count = min(left, rest.count)
                unpack(UnsafeRawBufferPointer(rebasing: rest[..<count]), at: offset + index, found: found)
                index += count
                if isOver { return }
                state = left > count ? .data(left - count) : .skip(Self.checksum)
            case .over: return
            }
        }
        offset += bytes.count
    }

    private static let checksum = 4

    private static func gather(_ head: inout [UInt8], _ wanted: Int, _ rest: UnsafeRawBufferPointer) -> Int {
        let count = min(wanted - head.count, rest.count)
        head += rest[..<count]
        return count
    }

    /// Reads the length and type of a chunk. Returns the state for the content of the chunk.
    private func begin(_ head: [UInt8]) -> State {
        let length = ByteOrder.bigEndian.number(head[..<4])
        guard length <= Int32.max else { return .over }
        switch (FourCC(UInt32(ByteOrder.bigEndian.number(head[4...]))), shape) {
        case ("IHDR", nil): return length == 13 ? .header([]) : .over
        case (_, nil): return .over
        case ("IDAT", _): return length == 0 ? .skip(Self.checksum) : .data(length)
        case ("IEND", _): return .over
        // IDAT chunks are consecutive (§5.6), so a chunk of another type ends the pixel data.
        default: return inflater == nil ? .skip(length + Self.checksum) : .over
        }
    }

    private func begin(header: [UInt8]) -> State {
        shape = (try? PNGHeader(header)).flatMap { InterlacedPNGShape($0, byteLimit: limits.maxPictureBytes) }
        return shape == nil ? .over : .skip(Self.checksum)
    }

    private func unpack(_ bytes: UnsafeRawBufferPointer, at place: Int, found: (CompleteScan) -> Void) {
        guard let shape else { return }
        let inflater = inflater ?? Inflater()
        self.inflater = inflater
        let last = shape.lastPass()
        var used = 0
        while inflater.state == .open {
            let wanted = min(shape.ends[pass - 1] - unpacked, room.count)
            let (read, written) = inflater.inflate(
                UnsafeRawBufferPointer(rebasing: bytes[used...]),
                into: UnsafeMutableRawBufferPointer(rebasing: room[..<wanted]))
            used += read
            unpacked += written
            if written > 0 { receive?(pass, UnsafeRawBufferPointer(rebasing: room[..<written]), shape) }
            if unpacked == shape.ends[pass - 1] {
                let done = pass
                if done == last { break }
                // Skip passes without pixels.
                while pass < last && unpacked == shape.ends[pass - 1] { pass += 1 }
                found(CompleteScan(number: done, end: place + used))
            }
            // The buffer is not full, so all input has been decompressed.
            if inflater.state == .open, written < wanted { return }
        }
        state = .over
    }
}
