import CCodecs
import Support

/// Passes the bytes of a C encoder to a sink. If the sink fails, the encoder returns APOD_STOPPED, and `check` throws
/// the error of the sink.
final class EncoderOutput {
    let format: OutputFormat
    /// The number of bytes written to the sink, or to all tiles of an output that is cut into tiles.
    var count = 0
    /// Throws if the work must stop, or if the next step would exceed the time limit. Called by encoders that work for
    /// a long time before their first byte.
    var checkpoint: (UninterruptibleCost?) throws -> Void = { _ in }
    /// The threads that an encoder may start.
    var spareThreads: ThreadBudget?
    private let sink: any ByteSink
    private var failure: (any Error)?

    init(_ format: OutputFormat, _ sink: any ByteSink) {
        self.format = format
        self.sink = sink
    }

    func redirected(to sink: any ByteSink) -> EncoderOutput {
        let drain = EncoderOutput(format, sink)
        (drain.checkpoint, drain.spareThreads) = (checkpoint, spareThreads)
        return drain
    }

    /// The callback for the encoder, valid for the lifetime of this object.
    var output: apod_output {
        apod_output(context: Unmanaged.passUnretained(self).toOpaque()) { context, bytes, count in
            let drain = Unmanaged<EncoderOutput>.fromOpaque(context!).takeUnretainedValue()
            do {
                try drain.write(UnsafeRawBufferPointer(start: bytes, count: count).bytes)
                return 0
            } catch {
                drain.failure = error
                return -1
            }
        }
    }

    func write(_ bytes: RawSpan) throws {
        try sink.write(bytes)
        count += bytes.byteCount
    }

    /// Throws the error for any status except APOD_OK.
    func check(_ status: apod_status, _ message: @autoclosure () -> UnsafePointer<CChar>?) throws {
        switch status {
        case APOD_OK: return
        case APOD_NO_MEMORY: throw ImageError.outOfMemory
        case APOD_STOPPED:
            if let failure { throw failure }
            throw ImageError.encoder(format, "stopped")
        default: throw ImageError.encoder(format, message().map { String(cString: $0) } ?? "")
        }
    }
}
