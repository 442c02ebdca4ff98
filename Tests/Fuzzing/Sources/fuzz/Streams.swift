@testable import Formats

/// Decompresses a zlib stream with both libraries. The first two bytes determine the sizes of the input pieces and of
/// the output buffer.
func unpack(_ bytes: [UInt8]) {
    guard bytes.count >= 2 else { return }
    let stream = Array(bytes[2...])
    let zlib = unpack(stream, .zlib, piece: stream.count, room: 70_000)
    let other = unpack(stream, .isaL, piece: Int(bytes[0]) * 16 + 1, room: Int(bytes[1]) * 300 + 1)
    let common = min(zlib.bytes.count, other.bytes.count)
    precondition(zlib.bytes[..<common] == other.bytes[..<common])
    // ISA-L accepts codes with unassigned bits, and detects some damage before zlib does.
    if zlib.state == .ended { precondition(other.state == .ended && other.bytes == zlib.bytes) }
}

private func unpack(
    _ stream: [UInt8], _ library: Inflater.Library, piece: Int, room: Int
) -> (state: Inflater.State, bytes: [UInt8]) {
    let inflater = Inflater(library)
    var bytes: [UInt8] = []
    var start = 0
    let output = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
    defer { output.deallocate() }
    stream.withUnsafeBytes { stream in
        // The first 4 MiB are enough, because a decompression bomb continues in the same way.
        while inflater.state == .open, bytes.count < 4 << 20 {
            let input = UnsafeRawBufferPointer(rebasing: stream[start..<min(start + piece, stream.count)])
            let (read, written) = inflater.inflate(input, into: output)
            precondition(read <= input.count && written <= room)
            start += read
            bytes += output[..<written]
            if read + written == 0 { break }
        }
    }
    return (inflater.state, bytes)
}

/// Stored blocks, blocks with fixed codes, and blocks with dynamic codes.
let streamSeeds: [[UInt8]] = [
    [255, 255, 0x78, 0x01, 1, 3, 0, 0xFC, 0xFF, 97, 98, 99, 0x02, 0x4D, 0x01, 0x27],
    [
        1, 9, 0x78, 0x9C, 0xD3, 0x48, 0xD6, 0x54, 0xF0, 0x73, 0x0C, 0x76, 0xA4, 0x31, 0x01, 0x00, 0x3D, 0x33, 0x19,
        0xF1,
    ],
    [
        0, 1, 0x78, 0xDA, 0x05, 0xC1, 0x81, 0x00, 0x00, 0x00, 0x00, 0x80, 0x20, 0xD6, 0xFD, 0x25, 0x06, 0xA9, 0x00,
        0x01, 0x00, 0x01,
    ],
]
