import CZlib

/// Unpacks a zlib stream that arrives in pieces.
final class InflateStream {
    /// zlib keeps the address of its state.
    private let zlib: UnsafeMutablePointer<z_stream>
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 32 << 10, alignment: 16)
    /// Whether the stream has ended, or is damaged.
    private(set) var hasEnded = false

    init() {
        zlib = .allocate(capacity: 1)
        zlib.initialize(to: z_stream())
        hasEnded = inflateInit_(zlib, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) != Z_OK
    }

    deinit {
        inflateEnd(zlib)
        zlib.deallocate()
        room.deallocate()
    }

    /// Takes the next bytes. Before each piece, `limit` says how many may come at most, 0 that no more is wanted;
    /// `receive` gets them with how many of `bytes` have been used up.
    func take(
        _ bytes: UnsafeRawBufferPointer, limit: () -> Int, receive: (UnsafeRawBufferPointer, _ used: Int) -> Void
    ) {
        guard let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else { return }
        // zlib only reads there.
        zlib.pointee.next_in = UnsafeMutablePointer(mutating: base)
        zlib.pointee.avail_in = uInt(bytes.count)
        while !hasEnded {
            let wanted = min(limit(), room.count)
            if wanted == 0 { return }
            zlib.pointee.next_out = room.assumingMemoryBound(to: UInt8.self).baseAddress
            zlib.pointee.avail_out = uInt(wanted)
            let status = inflate(zlib, Z_NO_FLUSH)
            let count = wanted - Int(zlib.pointee.avail_out)
            if count > 0 {
                receive(UnsafeRawBufferPointer(rebasing: room[..<count]), bytes.count - Int(zlib.pointee.avail_in))
            }
            if status != Z_OK && status != Z_BUF_ERROR { hasEnded = true }
            // Room left over: all of the input has been looked at.
            if count < wanted { return }
        }
    }
}
