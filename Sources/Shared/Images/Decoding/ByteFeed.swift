import CCodecs
import Formats
import Support

/// Hands the bytes of a source to a C decoder. Keeps the error that stopped it, which C only knows as "stopped".
final class ByteFeed {
    let source: any ByteSource
    let format: ImageFormat
    private let options: DecodeOptions
    private var failure: (any Error)?
    /// The parts of the source that the decoder is to see, as if they were all of it: in order, none empty. Nil for
    /// all of it.
    var ranges: [Range<Int>]?

    init(_ source: any ByteSource, _ format: ImageFormat, _ options: DecodeOptions) {
        self.source = source
        self.format = format
        self.options = options
    }

    /// For as long as this object lives.
    var input: apod_input {
        apod_input(context: Unmanaged.passUnretained(self).toOpaque()) { context, buffer, capacity, offset in
            Unmanaged<ByteFeed>.fromOpaque(context!).takeUnretainedValue().read(buffer, capacity, offset)
        }
    }

    private func read(_ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ offset: UInt64) -> Int {
        do {
            try options.check()
            guard capacity > 0, let offset = Int(exactly: offset), offset < source.count else { return 0 }
            guard let place = place(of: offset) else { return 0 }
            let room = UnsafeMutableRawBufferPointer(start: buffer, count: min(capacity, place.count))
            return try source.read(into: room, at: place.lowerBound)
        } catch {
            failure = error
            return -1
        }
    }

    /// Where byte `offset` of what the decoder sees lies in the source, up to the end of its part; nil behind the last.
    private func place(of offset: Int) -> Range<Int>? {
        guard let ranges else { return offset..<source.count }
        var rest = offset
        for range in ranges {
            if rest < range.count { return range.lowerBound + rest..<range.upperBound }
            rest -= range.count
        }
        return nil
    }

    /// Throws what a status that is not APOD_OK stands for.
    func check(_ status: apod_status, _ message: @autoclosure () -> UnsafePointer<CChar>?) throws {
        guard status != APOD_OK else { return }
        let words = message().map { String(cString: $0) } ?? ""
        switch status {
        case APOD_TRUNCATED: throw ImageError.truncated(format)
        case APOD_UNSUPPORTED: throw ImageError.unsupported(format, words)
        case APOD_NOT_IMAGE: throw ImageError.notAnImage
        case APOD_TOO_MANY_SCANS: throw ImageError.tooManyScans(limit: options.limits.maxScans)
        case APOD_TOO_LARGE: throw ImageError.overLimit(format, words)
        case APOD_NO_MEMORY: throw ImageError.outOfMemory
        case APOD_STOPPED: throw failure ?? Cancelled()
        default: throw ImageError.corrupt(format, words)
        }
    }
}
