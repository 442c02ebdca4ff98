import CZlib

/// Decompresses a zlib stream (RFC 1950, RFC 1951) that comes in pieces.
///
/// For one thread at a time.
public final class Inflater {
    /// How far the stream has come.
    public enum State: Equatable {
        case open
        /// At its end, where its checksum was right.
        case ended
        case outOfMemory
        /// Damaged; in words of zlib's.
        case damaged(String)
    }

    public private(set) var state = State.open
    /// zlib keeps the address of its state.
    private let zlib: UnsafeMutablePointer<z_stream>

    public init() {
        zlib = .allocate(capacity: 1)
        zlib.initialize(to: z_stream())
        if inflateInit_(zlib, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) != Z_OK { state = .outOfMemory }
    }

    deinit {
        inflateEnd(zlib)
        zlib.deallocate()
    }

    /// Decompresses until `input` is used up, `output` is full, or the stream is no longer `open`; afterwards nothing
    /// more is decompressed. Returns how many bytes were read and how many were written.
    public func inflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> (read: Int, written: Int) {
        guard state == .open, let target = output.baseAddress else { return (0, 0) }
        // zlib only reads there.
        zlib.pointee.next_in = UnsafeMutablePointer(mutating: input.assumingMemoryBound(to: UInt8.self).baseAddress)
        zlib.pointee.avail_in = uInt(input.count)
        zlib.pointee.next_out = target.assumingMemoryBound(to: UInt8.self)
        zlib.pointee.avail_out = uInt(output.count)
        switch CZlib.inflate(zlib, Z_NO_FLUSH) {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: state = .ended
        case Z_MEM_ERROR: state = .outOfMemory
        case Z_NEED_DICT: state = .damaged("a dictionary is asked for")
        default: state = .damaged(zlib.pointee.msg.map { String(cString: $0) } ?? "bad compressed data")
        }
        return (input.count - Int(zlib.pointee.avail_in), output.count - Int(zlib.pointee.avail_out))
    }

    /// Returns the contents of a whole stream; nil if it is damaged, is cut off, or has more than `limit` bytes.
    static func contents(of stream: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
        let inflater = Inflater()
        var contents: [UInt8] = []
        return withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 16) { room in
            stream.withUnsafeBytes { stream in
                var place = 0
                while inflater.state == .open {
                    let (read, written) = inflater.inflate(
                        UnsafeRawBufferPointer(rebasing: stream[place...]), into: room)
                    if inflater.state == .open, read + written == 0 { return nil }
                    guard written <= limit - contents.count else { return nil }
                    place += read
                    contents += room[..<written]
                }
                return inflater.state == .ended ? contents : nil
            }
        }
    }
}
