import Cache
import Formats
import Images
import Records
import Support

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The first frame of a GIF as a viewer shows it, as a PNG.
///
/// It is drawn on the whole canvas: a frame that covers a part of it leaves the rest transparent. Pixels keep their
/// colours; alpha is left out where every pixel is opaque.
public struct Poster: Sendable {
    public let size: PixelSize
    public let png: [UInt8]

    /// Names the bytes in the key of the cache; to be raised when they change.
    static let edition = "poster;frame=0;png;v1"

    /// Throws `ImageError`, `FormatFailure`, `Cancelled`, and what the source throws.
    public init(of source: some ByteSource, interruption: Interruption) throws {
        let frame = try decodeFrame(0, of: source, options: DecodeOptions(interruption: interruption))
        size = frame.size
        png = try encode(frame.withoutNeedlessAlpha, EncodeOptions(format: .png))
    }
}

extension PixelBuffer {
    /// RGB instead of RGB and alpha where every pixel is opaque. O(pixels).
    var withoutNeedlessAlpha: PixelBuffer {
        guard channels == 4, stride(from: 3, to: bytes.count, by: 4).allSatisfy({ bytes[$0] == 255 }) else {
            return self
        }
        let opaque = [UInt8](unsafeUninitializedCapacity: bytes.count / 4 * 3) { buffer, initialized in
            for pixel in 0..<bytes.count / 4 {
                for channel in 0..<3 { buffer[pixel * 3 + channel] = bytes[pixel * 4 + channel] }
            }
            initialized = bytes.count / 4 * 3
        }
        return PixelBuffer(size: size, channels: 3, bytes: opaque)
    }
}

/// Draws each record's poster, which is kept beside its GIF: the work of `gif-cache poster`.
public struct PosterTool: RecordTool {
    public let name = "gif-cache"
    private let gifs: KeptGIFs
    private let naming: GIFNaming
    private let interruption: Interruption

    public init(gifs: KeptGIFs, naming: GIFNaming, interruption: Interruption) {
        self.gifs = gifs
        self.naming = naming
        self.interruption = interruption
    }

    public func process(_ record: inout Record, argument: String?, emit: (Record) -> Void) throws {
        let kept = try gifs.find(naming.id(argument, record), naming.resolution)
        let (entry, isMade) = try kept.poster(interruption: interruption)
        record.setGIF(kept)
        record.set(
            "poster",
            .object([
                "path": .string(entry.path), "width": entry.width.map(JSON.integer),
                "height": entry.height.map(JSON.integer), "bytes": .integer(entry.bytes),
                "status": .string(isMade ? "made" : "hit"),
            ]))
    }
}

extension KeptGIF {
    /// The poster in the cache, a variant of the GIF with a lease of its own: it goes with the GIF, and is drawn anew
    /// when that changes. Drawn by one however many want it; `isMade` says whether that was now.
    func poster(interruption: Interruption) throws -> (entry: Entry, isMade: Bool) {
        var result: (Entry, Bool)?
        try cache.variants(of: CacheKey(custom: gif.cacheKey), options: [Poster.edition]) { _, entry, isMade in
            result = (entry, isMade)
        } make: { original, missing, done in
            let poster = try Poster(of: File.openInput(original.path), interruption: interruption)
            for (index, path) in missing {
                let file = try File.open(path, O_WRONLY | O_CREAT | O_EXCL)
                try file.write(poster.png)
                let format = OutputFormat.png
                try done(
                    index,
                    InspectedPicture(
                        contentType: format.contentType, fileExtension: format.fileExtension,
                        width: poster.size.width, height: poster.size.height))
            }
        }
        guard let result else { throw CacheFailure.absent(key: gif.cacheKey) }
        return result
    }
}
