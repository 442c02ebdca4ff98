import CCodecs
import Formats
import Support

/// Passes the bytes of a source to a C decoder. If a read fails, the decoder returns APOD_STOPPED, and `check` throws
/// the error of the read.
final class DecoderInput {
    let source: any ByteSource
    let format: ImageFormat
    private let options: DecodeOptions
    private var failure: (any Error)?

    init(_ source: any ByteSource, _ format: ImageFormat, _ options: DecodeOptions) {
        self.source = source
        self.format = format
        self.options = options
    }

    /// The callback for the decoder, valid for the lifetime of this object.
    var input: apod_input {
        apod_input(context: Unmanaged.passUnretained(self).toOpaque()) { context, buffer, capacity, offset in
            Unmanaged<DecoderInput>.fromOpaque(context!).takeUnretainedValue().read(buffer, capacity, offset)
        }
    }

    private func read(_ buffer: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ offset: UInt64) -> Int {
        do {
            try options.check()
            guard capacity > 0, let offset = Int(exactly: offset), offset < source.count else { return 0 }
            let room = UnsafeMutableRawBufferPointer(start: buffer, count: min(capacity, source.count - offset))
            return try source.read(into: room, at: offset)
        } catch {
            failure = error
            return -1
        }
    }

    /// Throws the error for any status except APOD_OK.
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
        // libjpeg's warnings begin with words that the message of `corrupt` repeats.
        default: throw ImageError.corrupt(format, words.removing(bytePrefix: "Corrupt JPEG data: ") ?? words)
        }
    }
}
