import Formats
import JPEG
import Support

extension JPEGOptions {
    /// Converts `DecodeOptions` for the module `JPEG`.
    init(_ options: DecodeOptions) {
        self.init()
        allowsTruncated = options.allowsTruncated
        skipsFineScans = options.quality != .full
        maxScans = options.limits.maxScans
        spareThreads = options.spareThreads
        leavesThread = options.leavesThread
        check = { try options.check() }
        reserve = { try options.reserve(memory: $0) }
    }
}

extension ImageError {
    /// Runs `body` and translates `JPEGError` to `ImageError`.
    static func translating<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as JPEGError {
            throw ImageError(error)
        }
    }

    private init(_ error: JPEGError) {
        self =
            switch error {
            case .corrupt(let fault): .corrupt(.jpeg, fault)
            case .truncated: .truncated(.jpeg)
            case .unsupported(let fault): .unsupported(.jpeg, fault)
            case .tooManyScans(let limit): .tooManyScans(limit: limit)
            }
    }
}

/// Reads planes that the module `JPEG` decodes.
final class NativePlaneReader: PlaneReader {
    let planes: [PlaneGeometry]
    private let decoder: any JPEGPlanes

    init(_ decoder: any JPEGPlanes) {
        self.decoder = decoder
        planes = decoder.planes.map {
            PlaneGeometry(
                size: $0.size, extentWidth: $0.extentWidth, extentHeight: $0.extentHeight, rowBytes: $0.rowBytes,
                groupRows: $0.groupRows, sharpening: $0.sharpening)
        }
    }

    func readGroup(into destination: (Int, Int) -> UnsafeMutablePointer<UInt8>) throws {
        try ImageError.translating { try decoder.readGroup(into: destination) }
    }

    func finish() throws { try ImageError.translating { try decoder.finish() } }

    var isTruncated: Bool { decoder.isTruncated }
}

/// Reads rows of pixels that the module `JPEG` upsamples from its planes.
final class NativeRowReader: RowReader {
    let layout: RowLayout
    let profile: [UInt8]?
    private let rows: UpsampledRows

    init(_ rows: UpsampledRows, _ layout: RowLayout, profile: [UInt8]?) {
        self.rows = rows
        self.layout = layout
        self.profile = profile
    }

    var size: PixelSize { rows.size }
    var extent: (width: Double, height: Double) { rows.extent }

    func readRow(into row: UnsafeMutablePointer<UInt8>) throws {
        try ImageError.translating { try rows.readRow(into: row) }
    }

    func finish() throws { try ImageError.translating { try rows.finish() } }

    var isTruncated: Bool { rows.isTruncated }
}
