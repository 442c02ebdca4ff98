import Formats

/// A part of a picture that shows all of it, coarsely, and has come to its end: a scan of a JPEG, a pass of an
/// interlaced PNG or GIF. Never the last one, behind which there is the picture itself.
public struct CompleteScan: Sendable, Equatable {
    /// Scans are counted from 1 in the order in which they come; passes have the number that their format gives them.
    public let number: Int
    /// How many bytes of the file it takes. Of a PNG, whose compressed bytes have no borders, a few more may count,
    /// depending on how they come.
    public let end: Int
}

/// Finds the ends of scans and passes in a picture that arrives in pieces of any size.
///
/// Takes a few KB of memory, whatever the picture, and time in proportion to what comes in (and, for a PNG, to the
/// pixels that its header promises). Bytes that are damaged, or of a picture without scans, give nothing.
public struct ScanFinder {
    /// What is known of the format: its magic is waited for, it is looked through, or nothing more will be found.
    private enum State {
        case magic([UInt8])
        case reading(any ScanReader)
        case over
    }

    private var state = State.magic([])
    /// What may be found; nil before the first bytes have come.
    public private(set) var format: ImageFormat?
    private let limits: PreviewLimits

    public init(limits: PreviewLimits = .standard) { self.limits = limits }

    /// As many bytes as tell every format.
    private static let magicBytes = 12

    /// Takes the next bytes and tells `found` what ends in them.
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
        format = ImageFormat(magic: head)
        let reader: any ScanReader
        switch format {
        case .jpeg: reader = JPEGScanReader()
        case .png: reader = InterlacedPNGReader(limits: limits)
        case .gif: reader = InterlacedGIFReader(limits: limits)
        case .webp, .tiff, .avif, .heic, .jpegXL, nil:
            state = .over
            return
        }
        head.withUnsafeBytes { reader.take($0, found: found) }
        state = .reading(reader)
    }
}

/// Reads one format as it arrives.
protocol ScanReader: AnyObject {
    /// Takes the next bytes of the file, the first call its first.
    func take(_ bytes: UnsafeRawBufferPointer, found: (CompleteScan) -> Void)
    /// Whether nothing more will be found.
    var isOver: Bool { get }
}
