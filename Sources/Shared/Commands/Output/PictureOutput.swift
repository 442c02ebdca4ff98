import Libc
import Support

/// Standard output for the bytes of pictures. A terminal is refused, because untrusted bytes can contain control
/// sequences.
public struct PictureOutput {
    private let file: File

    /// Throws `UsageFailure` if standard output is a terminal, and `SystemFailure` if it is closed.
    ///
    /// - Parameter example: the file name in the advice to redirect the output.
    public init(example: String) throws {
        if Terminal.isTerminal(1) {
            throw UsageFailure(
                "refusing to write a picture to a terminal; redirect it to a file or a pipe, as with > \(example)")
        }
        file = try File.standardOutput()
    }

    /// Writes the bytes of a file. Throws `SystemFailure`.
    public func copy(_ path: String) throws {
        let source = try File.open(path, O_RDONLY)
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        while case let count = try piece.withUnsafeMutableBytes({ try source.read(into: $0) }), count > 0 {
            try piece.withUnsafeBytes { try file.write(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }
}
