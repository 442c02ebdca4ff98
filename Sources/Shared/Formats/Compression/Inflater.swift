import CISAL
import CZlib

/// Decompresses a zlib stream (RFC 1950, RFC 1951) that comes in pieces.
///
/// Large streams are decompressed by ISA-L, in less than half of zlib's time, small ones and all where ISA-L is missing
/// by zlib. Both give the same bytes, and both verify the checksum at the end. They differ in damaged streams: ISA-L may
/// give a few bytes more or fewer before the damage, or find it earlier. A code that leaves bits without a meaning is
/// damage to zlib, to ISA-L only if such bits come: if they never do, and the checksum is right, the stream is sound.
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

    /// The libraries that decompress.
    enum Library: CaseIterable {
        case zlib, isaL

        /// Whether it can be used here: ISA-L is loaded when it is first needed, if it is installed.
        var isPresent: Bool { self == .zlib || cisal_version() != nil }
    }

    private enum Decompressor {
        /// zlib keeps the address of its state.
        case zlib(UnsafeMutablePointer<z_stream>)
        case isaL(OpaquePointer)
    }

    public private(set) var state = State.open
    private let decompressor: Decompressor

    /// What has to come out for ISA-L to be worth its loading: that takes 0.2 ms, which 100 KB earn back.
    private static let isaLBytes = 256 << 10

    /// Which version of ISA-L can be used, loading it; nil if none can.
    public static var isaLVersion: String? { cisal_version().map { String(cString: $0) } }

    /// - Parameter count: how many bytes are expected to come out, if that is known. If they are many, input is read ahead
    ///   of what comes out, and a few bytes may be read behind the stream's end.
    public convenience init(expecting count: Int = 0) { self.init(count < Self.isaLBytes ? .zlib : .isaL) }

    /// By zlib, too, if the library is not there.
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

    /// Decompresses until `input` is used up, `output` is full, or the stream is no longer `open`; afterwards nothing
    /// more is decompressed. Returns how many bytes were read and how many were written. If `output` was filled, more may
    /// come out without more input.
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
