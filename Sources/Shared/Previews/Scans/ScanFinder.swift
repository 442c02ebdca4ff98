import Formats

/// A scan of a JPEG, or a pass of an interlaced PNG or GIF, after which the file shows the whole picture coarsely.
/// Excludes the scan or pass that completes the picture.
public struct CompleteScan: Sendable, Equatable {
    /// Scans of a JPEG are counted from 1. Passes have the numbers that the format defines.
    public let number: Int
    /// The offset of its end in the file. For PNG, whose compressed data has no boundaries between passes, it may be a
    /// few bytes too large, depending on the sizes of the received pieces.
    public let end: Int
}

/// Finds the ends of scans and passes in a picture that arrives in pieces of any size.
///
/// Memory does not grow with the file, and time is proportional to the input (for PNG, to the pixels in its header).
/// Finds nothing in damaged data, or in pictures that are neither progressive nor interlaced.
public struct ScanFinder {
    private enum State {
        case magic([UInt8])
        case reading(any ScanReader)
        case over
    }

    private var state = State.magic([])
    /// Nil before the signature is complete, or if the signature is unknown.
    public private(set) var format: ImageFormat?
    private let limits: PreviewLimits

    public init(limits: PreviewLimits = .standard) { self.limits = limits }

    /// Enough bytes to identify every format.
    private static let magicBytes = 12

    /// Reports the scans that end in the next bytes.
    public mutating func take(_ bytes: UnsafeRawBufferPointer, found: (CompleteScan) -> Void) {
        var rest = bytes
        if case .magic(var head) = state {
            let count = min(Self.magicBytes - head.count, rest.count)
            head += rest[..<count]
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            guard head.count == Self.magicBytes else {
                state = .magic(head)
                return
            }
            begin(head, found: found)
        }
        guard case .reading(let reader) = state, !rest.isEmpty else { return }
        reader.take(rest, found: found)
        if reader.isOver { state = .over }
    }

    private mutating func begin(_ head: [UInt8], found: (CompleteScan) -> Void) {
        format = ImageFormat.detected(in: head[...])
        let reader: any ScanReader
        switch format {
        case .jpeg: reader = JPEGScanReader()
        case .png: reader = InterlacedPNGReader(limits: limits)
        case .gif: reader = InterlacedGIFReader(limits: limits)
        default:
            state = .over
            return
        }
        head.withUnsafeBytes { reader.take($0, found: found) }
        state = .reading(reader)
    }
}

/// Reads a file of a single format in pieces of any size.
protocol ScanReader: AnyObject {
    func take(_ bytes: UnsafeRawBufferPointer, found: (CompleteScan) -> Void)
    /// Whether no more scans will be found.
    var isOver: Bool { get }
}
