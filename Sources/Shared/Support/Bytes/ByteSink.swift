/// Takes the bytes of one file, in order.
public protocol ByteSink: AnyObject {
    /// Takes the next bytes, which are valid during the call only. Throws if they cannot be written, for example
    /// `SystemFailure`; afterwards the sink has only a beginning.
    func write(_ bytes: RawSpan) throws
}

extension ByteSink {
    /// Takes the next bytes. Throws what `write` throws for a span.
    public func write(_ bytes: [UInt8]) throws { try write(bytes.span.bytes) }

    /// Takes the next bytes. Throws what `write` throws for a span.
    public func write(_ bytes: UnsafeRawBufferPointer) throws { try write(bytes.bytes) }
}

/// Gathers bytes in memory.
public final class MemorySink: ByteSink {
    /// The bytes so far.
    public private(set) var bytes: [UInt8] = []

    public init() {}

    public func write(_ bytes: RawSpan) { bytes.withUnsafeBytes { self.bytes.append(contentsOf: $0) } }
}
