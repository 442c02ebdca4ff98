import CISAL
import CZlib

/// Decompresses a zlib stream (RFC 1950, RFC 1951) that arrives in pieces. Not thread-safe.
///
/// For large streams, uses ISA-L if it is installed, because it takes less than half of zlib's time; otherwise uses
/// zlib. Both libraries produce the same bytes and verify the checksum. For a damaged stream, ISA-L may produce a few
/// bytes more or fewer than zlib, or find the damage earlier. zlib rejects an incomplete Huffman code; ISA-L accepts it
/// unless the stream uses a missing code.
public final class Inflater {
    public enum State: Equatable {
        case open
        /// The stream is complete, with the right checksum.
        case ended
        case outOfMemory
        /// The stream is damaged. The message is zlib's or ISA-L's.
        case damaged(String)
    }

    enum Library: CaseIterable {
        case zlib, isaL

        var isPresent: Bool { self == .zlib || cisal_version() != nil }
    }

    private enum Decompressor {
        /// At a fixed address, which zlib stores in its state.
        case zlib(UnsafeMutablePointer<z_stream>)
        case isaL(OpaquePointer)
    }

    public private(set) var state = State.open
    private let decompressor: Decompressor

    /// ISA-L is used for outputs of at least this size. Loading it takes 0.2 ms, which pays off for outputs over 100
    /// KB.
    private static let isaLBytes = 256 << 10

    /// The version of ISA-L, or nil if it is not installed.
    public static var isaLVersion: String? { cisal_version().map { String(cString: $0) } }

    /// - Parameter count: the expected length of the output; 0 if unknown. If it is large, `inflate` may read a few
    ///   bytes after the end of the stream.
    public convenience init(expecting count: Int = 0) { self.init(count < Self.isaLBytes ? .zlib : .isaL) }

    /// Falls back to zlib if ISA-L is missing.
    init(_ library: Library) {
        if library == .isaL, let stream = cisal_open() {
            decompressor = .isaL(stream)
            return
        }
        let zlib = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        zlib.initialize(to: z_stream())
        decompressor = .zlib(zlib)
        if inflateInit_(zlib, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) != Z_OK { state = .outOfMemory }
    }

    deinit {
        switch decompressor {
        case .isaL(let stream): cisal_close(stream)
        case .zlib(let zlib):
            inflateEnd(zlib)
            zlib.deallocate()
        }
    }

    /// Decompresses until `input` is used up, `output` is full, or `state` is no longer `open`. Returns the numbers of
    /// bytes read and written. If `output` is full, the next call may write more bytes even without input.
    public func inflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> (read: Int, written: Int) {
        guard state == .open, let target = output.baseAddress else { return (0, 0) }
        switch decompressor {
        case .isaL(let stream):
            var (read, written) = (0, 0)
            switch cisal_inflate(
                stream, input.baseAddress?.assumingMemoryBound(to: UInt8.self), input.count,
                target.assumingMemoryBound(to: UInt8.self), output.count, &read, &written)
            {
            case CISAL_OPEN: break
            case CISAL_ENDED: state = .ended
            default: state = .damaged(String(cString: cisal_fault(stream)))
            }
            return (read, written)
        case .zlib(let zlib):
            // zlib only reads its input.
            zlib.pointee.next_in = UnsafeMutablePointer(mutating: input.assumingMemoryBound(to: UInt8.self).baseAddress)
            zlib.pointee.avail_in = uInt(input.count)
            zlib.pointee.next_out = target.assumingMemoryBound(to: UInt8.self)
            zlib.pointee.avail_out = uInt(output.count)
            let status = CZlib.inflate(zlib, Z_NO_FLUSH)
            switch status {
            case Z_OK, Z_BUF_ERROR: break
            case Z_STREAM_END: state = .ended
            case Z_MEM_ERROR: state = .outOfMemory
            case Z_NEED_DICT: state = .damaged("a preset dictionary is required")
            default: state = .damaged(String(cString: UnsafePointer(zlib.pointee.msg) ?? zError(status)))
            }
            return (input.count - Int(zlib.pointee.avail_in), output.count - Int(zlib.pointee.avail_out))
        }
    }

    /// Decompresses a whole stream. Returns nil if it is damaged or truncated, or if its contents exceed `limit` bytes.
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
