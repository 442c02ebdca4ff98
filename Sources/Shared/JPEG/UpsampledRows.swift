import CKernels
import Formats
import Support

/// Converts the planes of a JPEG to rows of pixels. At full size the pixels equal libjpeg's, including its smooth
/// upsampling of chroma.
public final class UpsampledRows {
    /// The colour space of the components.
    public enum Colours: Sendable {
        case gray, yCbCr, rgb, cmyk
        /// Three inks as YCbCr, and black (Adobe TN 5116).
        case ycck
    }

    public let size: PixelSize
    /// The exact size of the scaled picture, which may be fractional.
    public let extent: (width: Double, height: Double)
    private let reader: any JPEGPlanes
    private let colours: Colours
    /// Pixels per sample of each plane.
    private let ratios: [(across: Int, down: Int)]
    /// A ring buffer of three groups of rows for each plane.
    private let rows: [AlignedBuffer]
    private var groups = 0
    private var nextRow = 0
    /// A row of each component, at the width of the picture.
    private let upsampled: AlignedBuffer
    private let stride: Int
    private let memory: JPEGOptions.Reservation
    private let isSmooth: Bool

    /// Returns nil unless a sample of each plane covers a whole number of pixels.
    ///
    /// - Parameter scale: the scale of the picture in eighths.
    public init?(
        _ reader: any JPEGPlanes, whole: PixelSize, scale: Int, colours: Colours, options: JPEGOptions
    ) throws {
        self.reader = reader
        self.colours = colours
        extent = (Double(whole.width * scale) / 8, Double(whole.height * scale) / 8)
        size = PixelSize(width: Int(extent.width.rounded(.up)), height: Int(extent.height.rounded(.up)))
        // Like libjpeg, does not smooth at scale 1/8, because a block is then a single sample.
        isSmooth = scale > 1
        var ratios: [(across: Int, down: Int)] = []
        for plane in reader.planes {
            let (across, down) = (extent.width / plane.extentWidth, extent.height / plane.extentHeight)
            guard across == across.rounded(), down == down.rounded() else { return nil }
            ratios.append((Int(across), Int(down)))
        }
        self.ratios = ratios
        let widest = zip(reader.planes, ratios).map { $0.rowBytes * $1.across }.max() ?? 0
        stride = roundedUp(max(widest, size.width), to: 64)
        var bytes = 4 * stride
        for plane in reader.planes { bytes += 3 * plane.groupRows * plane.rowBytes }
        memory = try options.reserve(bytes)
        rows = reader.planes.map { AlignedBuffer(count: 3 * $0.groupRows * $0.rowBytes) }
        upsampled = AlignedBuffer(count: 4 * stride)
    }

    public var isTruncated: Bool { reader.isTruncated }

    public func finish() throws { try reader.finish() }

    /// Decodes the next row: 1, 3 or 4 samples for each pixel.
    public func readRow(into row: UnsafeMutablePointer<UInt8>) throws {
        try readGroups()
        var parts: [UnsafePointer<UInt8>] = []
        for component in rows.indices { parts.append(part(component)) }
        switch colours {
        case .gray: row.update(from: parts[0], count: size.width)
        case .yCbCr: apod_ycc_to_rgb(parts[0], parts[1], parts[2], row, size.width)
        case .rgb, .cmyk: interleave(parts, into: row)
        case .ycck:
            // The YCbCr samples encode the inverse of the inks.
            apod_ycc_to_rgb(parts[0], parts[1], parts[2], row, size.width)
            for x in (0..<size.width).reversed() {
                let (cyan, magenta, yellow) = (255 - row[3 * x], 255 - row[3 * x + 1], 255 - row[3 * x + 2])
                (row[4 * x], row[4 * x + 1], row[4 * x + 2], row[4 * x + 3]) = (cyan, magenta, yellow, parts[3][x])
            }
        }
        nextRow += 1
    }

    private func interleave(_ parts: [UnsafePointer<UInt8>], into row: UnsafeMutablePointer<UInt8>) {
        for (component, part) in parts.enumerated() {
            (upsampled.bytes + component * stride).update(from: part, count: size.width)
        }
        apod_interleave(upsampled.bytes, stride, parts.count, row, size.width)
    }

    /// Decodes groups until each plane has the samples of the next row, and the row of samples below, which smoothing
    /// needs.
    private func readGroups() throws {
        let isEnough = reader.planes.indices.allSatisfy { plane in
            let geometry = reader.planes[plane]
            return min(nextRow / ratios[plane].down + 2, geometry.size.height) <= groups * geometry.groupRows
        }
        if isEnough { return }
        try reader.readGroup { plane, row in sample(plane, groups * reader.planes[plane].groupRows + row) }
        groups += 1
        // A single group may not be enough.
        try readGroups()
    }

    private func sample(_ plane: Int, _ row: Int) -> UnsafeMutablePointer<UInt8> {
        let geometry = reader.planes[plane]
        return rows[plane].bytes + row % (3 * geometry.groupRows) * geometry.rowBytes
    }

    /// Returns a component of the next row, upsampled to the width of the picture.
    private func part(_ component: Int) -> UnsafePointer<UInt8> {
        let (across, down) = ratios[component]
        let plane = reader.planes[component].size
        let own = nextRow / down
        let near = sample(component, own)
        if across == 1, down == 1 { return UnsafePointer(near) }
        let out = upsampled.bytes + component * stride
        if isSmooth, down == 2, across <= 2, across == 1 || plane.width > 2 {
            let isUpper = nextRow % 2 == 0
            let far = sample(component, isUpper ? max(own - 1, 0) : min(own + 1, plane.height - 1))
            if across == 1 {
                apod_upsample_down(near, far, isUpper ? 1 : 2, out, plane.width)
            } else {
                apod_upsample_both(near, far, out, plane.width)
            }
        } else if isSmooth, down == 1, across == 2, plane.width > 2 {
            apod_upsample_across(near, out, plane.width)
        } else {
            apod_repeat(near, across, out, plane.width)
        }
        return UnsafePointer(out)
    }
}
