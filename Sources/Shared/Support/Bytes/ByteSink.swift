/// A destination for the bytes of a file, in order.
public protocol ByteSink: AnyObject {
    /// Appends `bytes`, which are valid only during the call. After an error the sink is incomplete.
    func write(_ bytes: RawSpan) throws
}

extension ByteSink {
    public func write(_ bytes: [UInt8]) throws { try write(bytes.span.bytes) }

    public func write(_ bytes: UnsafeRawBufferPointer) throws { try write(bytes.bytes) }
}

/// Collects bytes in memory.
public final class MemorySink: ByteSink {
    public private(set) var bytes: [UInt8] = []

    public init() {}

    public func write(_ bytes: RawSpan) { bytes.withUnsafeBytes { self.bytes.append(contentsOf: $0) } }
}
