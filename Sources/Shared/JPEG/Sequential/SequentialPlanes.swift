import Support

/// Decodes a sequential JPEG (ITU-T T.81 F.2) without colour conversion or upsampling. At full size the samples equal
/// libjpeg's; smaller sizes use the lowest frequencies. If the components are in several scans, decodes each group of
/// rows from all scans, each scan from its offset in the file.
final class SequentialPlanes: JPEGPlanes {
    let planes: [JPEGPlane]
    private let source: any ByteSource
    private let options: JPEGOptions
    private var frame: JPEGFrame
    /// The scans in file order.
    private let scans: [ScanSamples]

    /// Returns nil if another decoder must decode the picture. `scale` is one of `BlockLayout.sizes`.
    init?(
        _ first: JPEGFrame, _ source: any ByteSource, scale: Int, for use: JPEGPlaneUse = .planes,
        sizes: SequentialScan.Sizes = .standard, options: JPEGOptions
    ) throws {
        guard !first.isProgressive else { return nil }
        var frame = first
        if first.scans[0].components.count < first.components.count {
            let offset = first.scans[0].dataOffset
            if case .nonsense = try frame.readOtherScans(source, from: offset, options: options) { return nil }
            // libjpeg conceals data that is missing between restarts; this decoder does not.
            if options.allowsTruncated, frame.scans.contains(where: { $0.restartInterval > 0 }) { return nil }
        }
        // Each component must be in exactly one scan.
        guard frame.scans.flatMap(\.components).map(\.index).sorted() == Array(frame.components.indices) else {
            return nil
        }
        let shapes = frame.components.map { ComponentShape($0, of: frame, scale: scale, for: use) }
        let tables = HuffmanTables()
        let ends = frame.scans.dropFirst().map(\.dataOffset) + [source.count]
        var scans: [ScanSamples] = []
        for (scan, end) in zip(frame.scans, ends) {
            guard
                let samples = try ScanSamples(
                    scan, of: frame, shapes, tables, source, in: scan.dataOffset..<end, sizes: sizes, options: options)
            else { return nil }
            scans.append(samples)
        }
        self.scans = scans
        self.frame = frame
        planes = shapes.map(\.plane)
        self.source = source
        self.options = options
    }

    func readGroup(into destination: (Int, Int) -> UnsafeMutablePointer<UInt8>) throws {
        for (index, scan) in scans.enumerated() {
            do {
                try scan.readGroup(into: destination)
            } catch {
                // Reads the earlier scans to the end, to throw an error in them first.
                for scan in scans[..<index] { _ = try scan.markerOffset() }
                throw error
            }
        }
    }

    func finish() throws {
        defer { for scan in scans { scan.end() } }
        guard let offset = try scans.map({ try $0.markerOffset() }).last ?? nil else { return try lackEnd() }
        switch try frame.readOtherScans(source, from: offset, options: options) {
        case .marker:
            guard frame.scans.count == scans.count else {
                throw JPEGError.corrupt("a second scan of the same components")
            }
        case .file: try lackEnd()
        // A frame of a kind that neither this decoder nor libjpeg supports (T.81 table B.1).
        case .nonsense(0xC3), .nonsense(0xC5...0xC8), .nonsense(0xCB), .nonsense(0xCD...0xCF):
            throw JPEGError.unsupported("a second picture before the end of the first")
        case .nonsense(let code):
            throw JPEGError.corrupt("an unexpected marker after the scan: 0x\(String(code, radix: 16))")
        }
    }

    private var lacksEnd = false

    private func lackEnd() throws {
        guard options.allowsTruncated else { throw JPEGError.truncated }
        lacksEnd = true
    }

    var isTruncated: Bool { lacksEnd || scans.contains(where: \.isTruncated) }
}
