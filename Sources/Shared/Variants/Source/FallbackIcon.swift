import CacheTools
import Formats
import Images
import Support

/// A picture that replaces the icon of placeholders.
public struct FallbackIcon: Sendable {
    private let path: String
    private let bytes: [UInt8]
    let sha256: String

    /// Reads the file. Throws `SystemFailure` (66), `InputTooLarge`, `ImageError.tooManyBytes`, `Cancelled`.
    public init(path: String, byteLimit: Int, interruption: Interruption) throws {
        let input = try InputFile(path, byteLimit: byteLimit, interruption: interruption)
        guard input.count <= byteLimit else {
            throw NamedFailure(path, ImageError.tooManyBytes(input.count, limit: byteLimit))
        }
        self.path = path
        bytes = try input.bytes(0..<input.count)
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update($0) }
        sha256 = hash.finish()
    }

    /// Decodes the picture to check it. Throws `NamedFailure` if the picture is invalid or exceeds the limits.
    public func check(options: DecodeOptions) throws {
        do {
            _ = try pixels(within: PixelSize(width: 64, height: 64), options: options)
        } catch let failure as any Failure where failure is ImageError || failure is FormatFailure {
            throw NamedFailure(path, failure)
        }
    }

    /// Returns the picture, scaled down to fit `size`. Of an animation, returns the first frame. Throws `ImageError`,
    /// `FormatFailure`, `Cancelled`.
    public func pixels(within size: PixelSize, options: DecodeOptions) throws -> PixelBuffer {
        let source = MemorySource(bytes)
        let sink = MemorySink()
        let output = Output(
            Geometry(width: size.width, height: size.height), encoding: EncodeOptions(format: .png), sink: sink)
        try downsample(source, inspectWhole(source, options: options), to: [output], options: options) { _, _ in }
        return try decode(MemorySource(sink.bytes), limits: options.limits, interruption: options.interruption)
    }
}
