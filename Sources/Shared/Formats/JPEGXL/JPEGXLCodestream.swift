import Support

/// The codestream of a JPEG XL, without the boxes that contain it (ISO/IEC 18181-2 §9). The decoder receives only the
/// codestream, because libjxl 0.7 misreads boxes with a size of 64 bits.
public struct JPEGXLCodestream: ByteSource {
    private let spliced: SplicedSource

    /// Throws `FormatFailure`, and the errors of the source.
    public init(of source: any ByteSource) throws {
        var window = SourceWindow.forHeader(source)
        try self.init(&window, mayBeCut: true)
    }

    /// - Parameter mayBeCut: accepts a file that ends within a box after the first part of the codestream.
    init(_ window: inout SourceWindow, mayBeCut: Bool) throws {
        spliced = SplicedSource(window.source, try Self.parts(&window, mayBeCut: mayBeCut).map { .stored($0) })
    }

    /// Returns the ranges of the file that contain the codestream, in order, without empty ranges.
    private static func parts(_ window: inout SourceWindow, mayBeCut: Bool) throws -> [Range<Int>] {
        let end = window.count
        guard try window.byte(at: 0) == 0 else { return [0..<end] }
        var parts: [Range<Int>] = []
        do {
            try Boxes.walk(&window, 0..<end) { _, box in
                switch box.type {
                case "jxlc": parts.append(box.body)
                // Skip the number of the part, the first four bytes.
                case "jxlp": parts.append(box.body.dropFirst(4))
                default: break
                }
                return true
            }
        } catch Boxes.Fault.truncated {
            guard mayBeCut, !parts.isEmpty else { throw FormatFailure.truncated(.jpegXL) }
        } catch Boxes.Fault.corrupt(let fault) {
            throw FormatFailure.corrupt(.jpegXL, fault)
        }
        guard !parts.isEmpty else { throw FormatFailure.truncated(.jpegXL) }
        return parts.filter { !$0.isEmpty }
    }

    public var count: Int { spliced.count }

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        try spliced.read(into: buffer, at: offset)
    }
}
